#pragma once
/// \file
/// The parameters of transport `pvm`, known also where PVM is not.

#include <array>
#include <limits>

#include "vm/parameters.hpp"

namespace nasvm {

inline constexpr std::array<std::string_view, 2> pvm_routes{"daemon", "direct"};

inline constexpr std::array<std::string_view, 2> pvm_broadcasts{"ours", "mcast"};

inline constexpr std::array pvm_parameters{
    ParameterRow{"route", ParameterKind::word, 0, pvm_routes.size() - 1,
                 "daemon: through PVM's daemon (default); direct: connections between tasks", pvm_routes},
    ParameterRow{"fragment", ParameterKind::bytes, 1024, 1'000'000,
                 "longest piece of a message (default: PVM's own, 4080)"},
    ParameterRow{"broadcast", ParameterKind::word, 0, pvm_broadcasts.size() - 1,
                 "ours: this suite's, over PVM's messages (default); mcast: PVM's own, pvm_mcast", pvm_broadcasts},
    ParameterRow{"user", ParameterKind::user, 0, std::numeric_limits<std::uint32_t>::max(),
                 "whom PVM runs as when root runs nasvm, because PVM refuses root (default nobody)"},
};

}  // namespace nasvm
