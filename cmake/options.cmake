# Flags of every target, from the options of the top CMakeLists.txt: warnings, tuning, sanitizers.
add_library(nasvm_options INTERFACE)
target_include_directories(nasvm_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(nasvm_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in `"literal" + std::string` (GCC bug 105651) and writes beyond the end in fmt 9's
  # fmt::join where there are none. The asan preset finds the real ones.
  target_compile_options(nasvm_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(NASVM_WERROR)
  target_compile_options(nasvm_options INTERFACE -Werror)
endif()

# Without -DNDEBUG: assertions stay, they are cheap and a wrong benchmark is worthless.
set(CMAKE_CXX_FLAGS_RELEASE "-O3")
if(NASVM_NATIVE)
  target_compile_options(nasvm_options INTERFACE $<$<CONFIG:Release>:-march=native>)
endif()

if(NASVM_SANITIZE)
  # What a sanitizer finds ends the program, so that a test cannot pass over it.
  set(sanitize -fsanitize=${NASVM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(nasvm_options INTERFACE ${sanitize})
  target_link_options(nasvm_options INTERFACE ${sanitize})
endif()
