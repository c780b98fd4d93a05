#pragma once
/// \file
/// One run of a peer: a program of others that does the same work as one of our kernels, such as NASA's own code.

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"

namespace nasvm {

/// How a peer was run. All ways do the same work, and the one with the shortest median stands for the peer; over our
/// transports it stands by itself.
enum class PeerWay : std::uint8_t {
  as_built,    ///< over mpirun, as it was built
  huge_pages,  ///< likewise, and malloc asks for huge pages
  serial,      ///< a program without tasks
  over_ours,   ///< as it was built, over one of our transports (nasvm exec)
};
std::string_view to_text(PeerWay way);

struct PeerRecord {
  static constexpr std::string_view section = "peers";
  static constexpr Role role = Role::reference;

  std::string kernel;
  char problem_class = 'S';
  int np = 1;
  int repeat = 0;
  std::string program;  ///< its file
  PeerWay way = PeerWay::as_built;
  std::string transport{};  ///< of ours; empty: Open MPI, or none
  bool verified = false;
  double time_s = 0;    ///< its own figure, from its result block
  double mops = 0;      ///< likewise, in its own count of operations
  std::string failure;  ///< why there is no result; empty when there is one
  std::string version;  ///< "3.4"
  std::string flags;    ///< with which it says it was compiled
  Sampled sampled;      ///< when

  bool operator==(const PeerRecord&) const = default;
};

void describe(Fields& fields, PeerRecord& peer);
inline bool is_right(const PeerRecord& peer) { return peer.verified; }

}  // namespace nasvm
