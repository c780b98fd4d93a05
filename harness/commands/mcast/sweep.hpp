#pragma once
/// \file
/// Protocols and lists of values for their parameters, made into all combinations: what stands in one table of
/// `nasvm mcast`.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/multicast/table.hpp"

namespace nasvm {

/// Values for one parameter of protocols, as typed.
struct SweptParameter {
  std::string_view option;     ///< "--window"
  std::string_view parameter;  ///< "window"
  std::vector<std::string> values{};
};

/// A protocol as it is measured.
struct ProtocolVariant {
  std::string protocol;    ///< as named by the user: "lineartree:height=6"
  std::string parameters;  ///< that options have set: "packet=8k:window=20"

  bool operator==(const ProtocolVariant&) const = default;
};

/// Both together, as protocols are read: "lineartree:height=6:packet=8k:window=20".
std::string text_of(const ProtocolVariant& variant);

struct Sweep {
  std::vector<ProtocolVariant> variants;  ///< protocol by protocol, the last parameter fastest
  std::vector<std::string> remarks;       ///< for people: parameters that some of the protocols have not
};

/// Throws UsageError: a value that a protocol does not take, a parameter that is set twice or that no protocol has.
Sweep make_sweep(std::span<const std::string> protocols, std::span<const SweptParameter> parameters,
                 std::span<const multicast::Row> rows);

}  // namespace nasvm
