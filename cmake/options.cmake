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
# Other flags than CMake's own are the user's, and stay.
string(STRIP "${CMAKE_CXX_FLAGS_RELEASE_INIT}" own_release_flags)
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL own_release_flags)
  set(CMAKE_CXX_FLAGS_RELEASE "-O3")
endif()
if(NASVM_NATIVE)
  target_compile_options(nasvm_options INTERFACE $<$<NOT:$<CONFIG:Debug>>:-march=native>)
endif()

# Levels of x86-64 for which a build for any processor has its kernels beside the plain one.
set(NASVM_SIMD_LEVELS "")
if(NOT NASVM_NATIVE AND NOT NASVM_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$"
   AND NOT CMAKE_CXX_FLAGS MATCHES "-march=")
  include(CheckCXXCompilerFlag)
  foreach(level x86-64-v3 x86-64-v4)
    string(MAKE_C_IDENTIFIER "NASVM_COMPILES_${level}" result)
    check_cxx_compiler_flag(-march=${level} ${result})
    if(${result})
      list(APPEND NASVM_SIMD_LEVELS ${level})
    endif()
  endforeach()
endif()
# Programs find shared libraries beside themselves, wherever the build folder is moved to.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

if(NASVM_SANITIZE)
  # What a sanitizer finds ends the program, so that a test cannot pass over it.
  set(sanitize -fsanitize=${NASVM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(nasvm_options INTERFACE ${sanitize})
  target_link_options(nasvm_options INTERFACE ${sanitize})
endif()

# Headers that most files include, besides those given: a third to a half of what compiling a file takes. Of our own only
# faces that change seldom: their change compiles a whole library again.
function(nasvm_precompile target)
  if(NOT NASVM_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory>
    <optional> <ranges> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h> ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Where std::string is precompiled, GCC 12 sees copies of negative length and beyond the end. Builds without have
    # these warnings.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overread)
  endif()
endfunction()
