# Writes a header with the commit from its template; run at every build, so that the commit is that of the sources that were built. Without git,
# or outside a checkout, the commit is "unknown". The file changes only when a fact has changed.
set(NASVM_COMMIT unknown)
find_program(git_program git)
if(git_program)
  execute_process(COMMAND ${git_program} describe --always --dirty --abbrev=12 --exclude=*
                  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE described RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed EQUAL 0 AND described)
    set(NASVM_COMMIT ${described})
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
