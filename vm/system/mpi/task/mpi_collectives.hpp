#pragma once
/// \file
/// MPI's own collectives, for those that can be said in MPI's terms: lengths that fit into an int, and reductions
/// with operations and types that MPI knows. Comm does the others with its own algorithms.

#include "vm/native_collectives.hpp"
#include "vm/system/mpi/task/mpi_contexts.hpp"

namespace nasvm {

class MpiCollectives final : public NativeCollectives {
 public:
  explicit MpiCollectives(const MpiContexts& contexts) : contexts_(contexts) {}

  bool barrier(Context context) override;
  bool broadcast(Context context, Bytes data, Rank root) override;
  bool reduce(Context context, Bytes inout, const Reduction& op, Rank root) override;
  bool allreduce(Context context, Bytes inout, const Reduction& op) override;
  bool scan(Context context, Bytes inout, const Reduction& op) override;
  bool gatherv(Context context, ConstBytes out, Bytes in, Lengths bytes, Rank root) override;
  bool scatterv(Context context, ConstBytes out, Bytes in, Lengths bytes, Rank root) override;
  bool allgatherv(Context context, ConstBytes out, Bytes in, Lengths bytes) override;
  bool alltoall(Context context, ConstBytes out, Bytes in, std::size_t block_bytes) override;
  /// Throws RunError when this task's blocks are together longer than 2^31 - 1 elements: others
  /// do not know that, so the answer cannot be no.
  bool alltoallv(Context context, ConstBytes out, Lengths out_bytes, Bytes in, Lengths in_bytes,
                 std::uint8_t element_bytes) override;

 private:
  [[nodiscard]] MPI_Comm communicator(Context context) const { return contexts_.group(context).user; }
  [[nodiscard]] std::size_t rank_in(Context context) const;

  const MpiContexts& contexts_;
};

}  // namespace nasvm
