# nasvm_precompile(TARGET): precompiles Catch2 and the standard headers that most tests include, about half of what
# compiling a test takes. Tests only: at -O3 GCC 12 warns of overlaps that are none where std::string is precompiled.
function(nasvm_precompile target)
  if(NOT NASVM_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <ranges> <span> <string>
    <string_view> <utility> <variant> <vector> <fmt/format.h> <catch2/catch.hpp>)
endfunction()
