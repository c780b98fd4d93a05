# nasvm_precompile(TARGET [HEADER]...): precompiles the standard headers that most files of the project include, and these.
# That is nearly half of what compiling the target takes.
function(nasvm_precompile target)
  if(NOT NASVM_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <ranges> <span> <string>
    <string_view> <utility> <variant> <vector> <fmt/format.h> ${ARGN})
endfunction()
