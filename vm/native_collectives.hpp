#pragma once
/// \file
/// Collectives that a fabric has of its own (Open MPI's, for instance). Comm asks for each call, and takes its own
/// algorithm where the answer is no.

#include <cstddef>
#include <cstdint>
#include <span>

#include "vm/endpoint.hpp"
#include "vm/reduction.hpp"

namespace nasvm {

/// Each call does its collective among the members of the Comm that `context` belongs to and returns true, or returns
/// false and has done nothing. Which of the two must depend only on arguments that are equal on all members. Ranks
/// are those of that Comm, lengths are bytes; arguments as in vm/collective/collective.hpp. All calls block. Throws
/// RunError when the machine fails.
class NativeCollectives {
 public:
  using Bytes = std::span<std::byte>;
  using ConstBytes = std::span<const std::byte>;
  using Lengths = std::span<const std::size_t>;

  virtual ~NativeCollectives() = default;

  virtual bool barrier(Context) { return false; }
  virtual bool broadcast(Context, Bytes, Rank /*root*/) { return false; }
  virtual bool reduce(Context, Bytes /*inout*/, const Reduction&, Rank /*root*/) { return false; }
  virtual bool allreduce(Context, Bytes /*inout*/, const Reduction&) { return false; }
  virtual bool scan(Context, Bytes /*inout*/, const Reduction&) { return false; }
  virtual bool gatherv(Context, ConstBytes /*out*/, Bytes /*in*/, Lengths, Rank /*root*/) { return false; }
  virtual bool scatterv(Context, ConstBytes /*out*/, Bytes /*in*/, Lengths, Rank /*root*/) { return false; }
  virtual bool allgatherv(Context, ConstBytes /*out*/, Bytes /*in*/, Lengths) { return false; }
  virtual bool alltoall(Context, ConstBytes /*out*/, Bytes /*in*/, std::size_t /*block_bytes*/) { return false; }
  /// All lengths are multiples of `element_bytes`.
  virtual bool alltoallv(Context, ConstBytes /*out*/, Lengths /*out_bytes*/, Bytes /*in*/, Lengths /*in_bytes*/,
                         std::uint8_t /*element_bytes*/) {
    return false;
  }
};

}  // namespace nasvm
