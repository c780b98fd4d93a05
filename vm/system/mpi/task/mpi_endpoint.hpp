#pragma once
/// \file
/// Comm over MPI's point-to-point messages: MPI matches, moves and waits; every Operation is one MPI request.
///
/// Messages of any length: beyond 2^31 - 1 bytes as a derived datatype of long blocks. A message longer than its
/// receive is a RunError; when a peer dies, MPI's own starter ends the job.

#include <mpi.h>

#include <memory>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/system/mpi/task/mpi_collectives.hpp"
#include "vm/system/mpi/task/mpi_contexts.hpp"

namespace nasvm {

/// MPI must be initialized before (MPI_THREAD_FUNNELED is enough), and finalized after.
class MpiEndpoint final : public Endpoint {
 public:
  /// `native_collectives`: whether MPI's own collectives are offered.
  explicit MpiEndpoint(bool native_collectives);

  Rank rank() const override { return rank_; }
  int size() const override { return size_; }
  void start(Operation& operation) override;
  void progress() override;
  void wait_any(std::span<Operation* const> operations) override;
  bool probe(Rank source, Tag tag, Context context, Status& found, bool block) override;
  bool cancel(Operation& receive) override;
  void withdraw(Operation& operation) noexcept override;
  std::string_view method(Rank) const override { return "mpi"; }
  bool is_on_this_host(Rank peer) const override { return on_this_host_[static_cast<std::size_t>(peer)]; }
  void open_contexts(Context first, std::span<const Rank> members) override { contexts_.open(first, members); }
  void close_contexts(Context first) noexcept override { contexts_.close(first); }
  NativeCollectives* native_collectives() override { return collectives_.get(); }

 private:
  /// A message of this task to itself: sent from a copy, because a blocking send must not wait for its receive.
  struct SelfSend {
    std::unique_ptr<std::byte[]> copy;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void send_to_self(Operation& operation, MPI_Comm communicator, int self);
  /// Enters an operation into the list of those in flight, and takes it out. Its place in the list is its `serial`.
  void add(Operation& operation, MPI_Request request);
  void remove(const Operation& operation);
  /// The request of `operation` is done.
  void finish(Operation& operation, int code, const MPI_Status& status);
  void wait_one(Operation& operation);
  [[nodiscard]] Status to_status(const MpiGroup& group, const MPI_Status& status) const;

  Rank rank_ = 0;
  int size_ = 1;
  std::vector<bool> on_this_host_;  ///< by rank
  MpiContexts contexts_;
  std::unique_ptr<MpiCollectives> collectives_;
  std::vector<Operation*> operations_;  ///< in flight
  std::vector<MPI_Request> requests_;   ///< theirs, in the same order
  std::vector<SelfSend> self_sends_;
  std::vector<int> indices_;  ///< these three: kept for their memory
  std::vector<MPI_Status> statuses_;
  std::vector<Operation*> done_;
};

}  // namespace nasvm
