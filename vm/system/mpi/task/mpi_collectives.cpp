#include "vm/system/mpi/task/mpi_collectives.hpp"

#include <algorithm>
#include <climits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "vm/status.hpp"

namespace nasvm {
namespace {

MPI_Datatype signed_type(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return MPI_INT8_T;
    case 2:
      return MPI_INT16_T;
    case 4:
      return MPI_INT32_T;
    case 8:
      return MPI_INT64_T;
    default:
      return MPI_DATATYPE_NULL;
  }
}

MPI_Datatype unsigned_type(std::size_t bytes) {
  switch (bytes) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    case 8:
      return MPI_UINT64_T;
    default:
      return MPI_DATATYPE_NULL;
  }
}

MPI_Datatype datatype(const Reduction& op) {
  const std::size_t bytes = op.operand_bytes;
  switch (op.element) {
    case ElementKind::signed_integer:
      return signed_type(bytes);
    case ElementKind::unsigned_integer:
      return unsigned_type(bytes);
    case ElementKind::floating:
      return bytes == sizeof(float) ? MPI_FLOAT : bytes == sizeof(double) ? MPI_DOUBLE : MPI_LONG_DOUBLE;
    case ElementKind::complex:
      return bytes == 8 ? MPI_C_FLOAT_COMPLEX : bytes == 16 ? MPI_C_DOUBLE_COMPLEX : MPI_DATATYPE_NULL;
    case ElementKind::other:
      break;
  }
  return MPI_DATATYPE_NULL;
}

MPI_Op operation(const Reduction& op) {
  switch (op.operation) {
    case OperationKind::sum:
      return MPI_SUM;
    case OperationKind::product:
      return MPI_PROD;
    case OperationKind::min:
      return MPI_MIN;
    case OperationKind::max:
      return MPI_MAX;
    case OperationKind::other:
      break;
  }
  return MPI_OP_NULL;
}

/// A reduction in MPI's terms.
struct Terms {
  int count;
  MPI_Datatype type;
  MPI_Op op;
};

std::optional<Terms> terms_of(std::size_t bytes, const Reduction& op) {
  const std::size_t count = bytes / op.operand_bytes;
  const Terms terms{static_cast<int>(std::min<std::size_t>(count, INT_MAX)), datatype(op), operation(op)};
  if (count > INT_MAX || terms.type == MPI_DATATYPE_NULL || terms.op == MPI_OP_NULL) return std::nullopt;
  return terms;
}

std::size_t total(std::span<const std::size_t> bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

bool all_equal(std::span<const std::size_t> bytes) {
  return std::ranges::all_of(bytes, [&](std::size_t length) { return length == bytes[0]; });
}

/// Lengths and places of blocks, in units.
struct Layout {
  Layout(std::span<const std::size_t> bytes, std::size_t unit) {
    std::size_t place = 0;
    for (const std::size_t length : bytes) {
      counts.push_back(static_cast<int>(length / unit));
      places.push_back(static_cast<int>(place / unit));
      place += length;
    }
  }
  std::vector<int> counts, places;
};

}  // namespace

std::size_t MpiCollectives::rank_in(Context context) const {
  int rank = 0;
  MPI_Comm_rank(communicator(context), &rank);
  return static_cast<std::size_t>(rank);
}

bool MpiCollectives::barrier(Context context) {
  check_mpi(MPI_Barrier(communicator(context)), "MPI_Barrier");
  return true;
}

bool MpiCollectives::broadcast(Context context, Bytes data, Rank root) {
  if (data.size() > INT_MAX) return false;
  check_mpi(MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, root, communicator(context)),
            "MPI_Bcast");
  return true;
}

bool MpiCollectives::reduce(Context context, Bytes inout, const Reduction& op, Rank root) {
  const auto terms = terms_of(inout.size(), op);
  if (!terms.has_value()) return false;
  const bool at_root = static_cast<Rank>(rank_in(context)) == root;
  check_mpi(MPI_Reduce(at_root ? MPI_IN_PLACE : inout.data(), inout.data(), terms->count, terms->type, terms->op,
                       root, communicator(context)),
            "MPI_Reduce");
  return true;
}

bool MpiCollectives::allreduce(Context context, Bytes inout, const Reduction& op) {
  const auto terms = terms_of(inout.size(), op);
  if (!terms.has_value()) return false;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, inout.data(), terms->count, terms->type, terms->op, communicator(context)),
            "MPI_Allreduce");
  return true;
}

bool MpiCollectives::scan(Context context, Bytes inout, const Reduction& op) {
  const auto terms = terms_of(inout.size(), op);
  if (!terms.has_value()) return false;
  check_mpi(MPI_Scan(MPI_IN_PLACE, inout.data(), terms->count, terms->type, terms->op, communicator(context)),
            "MPI_Scan");
  return true;
}

bool MpiCollectives::gatherv(Context context, ConstBytes out, Bytes in, Lengths bytes, Rank root) {
  if (total(bytes) > INT_MAX) return false;
  const auto own = static_cast<int>(bytes[rank_in(context)]);
  if (all_equal(bytes)) {
    check_mpi(MPI_Gather(out.data(), own, MPI_BYTE, in.data(), own, MPI_BYTE, root, communicator(context)),
              "MPI_Gather");
    return true;
  }
  const Layout layout(bytes, 1);
  check_mpi(MPI_Gatherv(out.data(), own, MPI_BYTE, in.data(), layout.counts.data(), layout.places.data(), MPI_BYTE,
                        root, communicator(context)),
            "MPI_Gatherv");
  return true;
}

bool MpiCollectives::scatterv(Context context, ConstBytes out, Bytes in, Lengths bytes, Rank root) {
  if (total(bytes) > INT_MAX) return false;
  const auto own = static_cast<int>(bytes[rank_in(context)]);
  if (all_equal(bytes)) {
    check_mpi(MPI_Scatter(out.data(), own, MPI_BYTE, in.data(), own, MPI_BYTE, root, communicator(context)),
              "MPI_Scatter");
    return true;
  }
  const Layout layout(bytes, 1);
  check_mpi(MPI_Scatterv(out.data(), layout.counts.data(), layout.places.data(), MPI_BYTE, in.data(), own, MPI_BYTE,
                         root, communicator(context)),
            "MPI_Scatterv");
  return true;
}

bool MpiCollectives::allgatherv(Context context, ConstBytes out, Bytes in, Lengths bytes) {
  if (total(bytes) > INT_MAX) return false;
  const auto own = static_cast<int>(bytes[rank_in(context)]);
  if (all_equal(bytes)) {
    check_mpi(MPI_Allgather(out.data(), own, MPI_BYTE, in.data(), own, MPI_BYTE, communicator(context)),
              "MPI_Allgather");
    return true;
  }
  const Layout layout(bytes, 1);
  check_mpi(MPI_Allgatherv(out.data(), own, MPI_BYTE, in.data(), layout.counts.data(), layout.places.data(), MPI_BYTE,
                           communicator(context)),
            "MPI_Allgatherv");
  return true;
}

bool MpiCollectives::alltoall(Context context, ConstBytes out, Bytes in, std::size_t block_bytes) {
  if (block_bytes > INT_MAX) return false;
  const auto count = static_cast<int>(block_bytes);
  check_mpi(MPI_Alltoall(out.data(), count, MPI_BYTE, in.data(), count, MPI_BYTE, communicator(context)),
            "MPI_Alltoall");
  return true;
}

bool MpiCollectives::alltoallv(Context context, ConstBytes out, Lengths out_bytes, Bytes in, Lengths in_bytes,
                               std::uint8_t element_bytes) {
  const std::size_t longest = std::max(total(out_bytes), total(in_bytes));
  if (longest / element_bytes > INT_MAX) {
    throw RunError("an alltoallv of " + std::to_string(longest) + " bytes on one task is more than MPI's own can " +
                   "address; --transport mpi:collectives=ours can");
  }
  MPI_Datatype unit = MPI_BYTE;
  if (element_bytes > 1) unit = unsigned_type(element_bytes);
  if (unit == MPI_DATATYPE_NULL) return false;
  const Layout outgoing(out_bytes, element_bytes);
  const Layout incoming(in_bytes, element_bytes);
  check_mpi(MPI_Alltoallv(out.data(), outgoing.counts.data(), outgoing.places.data(), unit, in.data(),
                          incoming.counts.data(), incoming.places.data(), unit, communicator(context)),
            "MPI_Alltoallv");
  return true;
}

}  // namespace nasvm
