#pragma once
/// \file
/// What a collective costs a rank by peer when our algorithm does it: by this, collectives that a fabric does by
/// itself are counted. So volume and messages mean the same over every transport, and agree with costs.hpp.
///
/// The figures are found by running the algorithm once with messages that only count, and are kept by arguments.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/metrics/counters.hpp"
#include "vm/reduction.hpp"

namespace nasvm {
class Comm;
}

namespace nasvm::collective {

/// Of one rank among `size`. Lengths in bytes; arguments as those of the algorithms (collective.hpp). The first call
/// for given arguments needs as much memory as the collective's buffers; a later one finds its result.
class Ledger {
 public:
  /// Only peers with traffic.
  using Traffic = std::vector<std::pair<Rank, PeerCounters>>;
  using Lengths = std::span<const std::size_t>;

  Ledger(Rank rank, int size) : rank_(rank), size_(size) {}

  const Traffic& barrier();
  const Traffic& broadcast(std::size_t bytes, Rank root, std::uint8_t element_bytes);
  const Traffic& reduce(std::size_t bytes, const Reduction& op, Rank root);
  const Traffic& allreduce(std::size_t bytes, const Reduction& op);
  const Traffic& scan(std::size_t bytes, const Reduction& op);
  const Traffic& gatherv(Lengths bytes, Rank root);
  const Traffic& scatterv(Lengths bytes, Rank root);
  const Traffic& allgatherv(Lengths bytes, std::uint8_t element_bytes);

 private:
  enum class Kind : std::size_t { barrier, broadcast, reduce, allreduce, scan, gatherv, scatterv, allgatherv };

  /// The traffic of `algorithm`, which is told apart by `kind`, `detail` and `bytes`.
  template <typename Algorithm>
  const Traffic& find(Kind kind, std::size_t detail, Lengths bytes, Algorithm algorithm);
  [[nodiscard]] Traffic run(const std::function<void(Comm&)>& algorithm) const;

  Rank rank_;
  int size_;
  std::vector<std::size_t> key_;  ///< kept, so that looking up allocates nothing
  std::map<std::vector<std::size_t>, Traffic> known_;
};

}  // namespace nasvm::collective
