#pragma once
/// \file
/// What documents of `nasvm mcast --figures` have beside their records: which figures, and on which network.

#include <string>
#include <string_view>

#include "harness/document/records.hpp"

namespace nasvm {

struct McastFigureRecord {
  static constexpr std::string_view section = "mcast_figures";
  static constexpr Role role = Role::reference;

  std::string name;  ///< "9"
  int hosts = 0;
  int rate_mbit_s = 0;  ///< of each host's link, 10^6 bit/s
  bool quick = false;   ///< fewer cases and receivers than the paper's

  bool operator==(const McastFigureRecord&) const = default;
};

void describe(Fields& fields, McastFigureRecord& figure);
inline bool is_right(const McastFigureRecord&) { return true; }

}  // namespace nasvm
