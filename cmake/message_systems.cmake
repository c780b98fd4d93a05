# Message systems: each folder of vm/system is one, and nothing else lists them for the build.
#
# Its package.cmake looks for what the system's tasks are linked with. It may set SYSTEM_library, that library's name in
# result documents (SYSTEM unless it is set). Where the library is there, it sets SYSTEM_version and makes the target
# nasvm_SYSTEM_package. The folder task/ is what needs that library: it becomes a library of its own, nasvm_SYSTEM,
# because loading the system's libraries would delay the start of every program. Without it everything else is built,
# and the transport says what to install.
#
# NASVM_SYSTEMS: the systems that are built. NASVM_SYSTEM_VERSIONS: {"library", "version"} of all, for C++.
set(NASVM_SYSTEMS "")
set(system_versions "")
file(GLOB packages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/vm/system/*/package.cmake)
foreach(package ${packages})
  cmake_path(GET package PARENT_PATH system)
  cmake_path(GET system FILENAME system)
  string(TOUPPER ${system} upper)
  option(NASVM_${upper} "Build the transport ${system} where its packages are found" ON)
  set(${system}_library ${system})
  include(${package})
  if(NASVM_${upper} AND TARGET nasvm_${system}_package)
    list(APPEND NASVM_SYSTEMS ${system})
  else()
    set(${system}_version none)
  endif()
  list(APPEND system_versions "{\"${${system}_library}\", \"${${system}_version}\"}")
endforeach()
list(JOIN system_versions ", " NASVM_SYSTEM_VERSIONS)

# Takes the sources below task/ of every system out of the list `sources`, and makes them libraries.
macro(nasvm_add_systems sources)
  foreach(system IN LISTS NASVM_SYSTEMS)
    set(system_sources ${${sources}})
    list(FILTER system_sources INCLUDE REGEX "/vm/system/${system}/task/")
    add_library(nasvm_${system} STATIC ${system_sources})
    target_link_libraries(nasvm_${system} PUBLIC nasvm_vm nasvm_${system}_package)
  endforeach()
  list(FILTER ${sources} EXCLUDE REGEX "/vm/system/[^/]+/task/")
endmacro()

# A program of tasks of one system, nasvm-SYSTEM-KIND, made of the sources that follow.
function(nasvm_add_system_program system kind)
  set(program nasvm-${system}-${kind})
  add_executable(${program} ${ARGN})
  target_link_libraries(${program} PRIVATE nasvm_${system})
  if(NASVM_SANITIZE MATCHES address)
    target_sources(${program} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/message_system_leaks.cpp)
  endif()
endfunction()
