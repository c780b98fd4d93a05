#pragma once
/// \file
/// Progress: the endpoint on which all Comms of the library stand. Collectives that go on in the background are
/// functions on stacks of their own: the same algorithms as in the foreground, which step aside whenever they would
/// wait, and are resumed by whatever call of the program waits or looks next (MPI-3.1, section 5.12).
///
/// One thread at a time (turns.hpp): where several take turns, a wait looks again and again, and lets others in
/// meanwhile. A wait in the foreground that finds no job costs one comparison.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "vm/comm.hpp"
#include "vm/endpoint.hpp"

namespace nasvm::mpi {

class Progress final : public Endpoint {
 public:
  class Job;

  explicit Progress(Endpoint& base);
  ~Progress() override;

  /// Before jobs begin, and before threads take turns: the Comm (any of those of this task) that knows in which
  /// collectives the caller is.
  void keep_apart_collectives_of(Comm& comm) { comm_ = &comm; }

  /// Starts a function in the background; it runs until it first waits. Messages of the jobs of a Comm differ by
  /// `number`, which all tasks count alike (~0U: tags stay as they are). What it throws is kept for its Job.
  std::shared_ptr<Job> begin(std::function<void()> body, unsigned number);
  [[nodiscard]] static bool is_done(const Job& job);
  /// Throws what the job has thrown.
  static void check(const Job& job);

  [[nodiscard]] bool in_job() const { return running_ != nullptr; }
  [[nodiscard]] bool has_jobs() const { return !jobs_.empty(); }

  /// Blocks until one of the operations is complete, or a job has gone on.
  void wait_some(std::span<Operation* const> operations);

  /// Of threads that take turns: the others have theirs now.
  void let_others_in(unsigned rounds);

  // Endpoint
  [[nodiscard]] Rank rank() const override { return base_.rank(); }
  [[nodiscard]] int size() const override { return base_.size(); }
  void start(Operation& operation) override;
  void progress() override;
  void look_for(const Operation& operation) override { base_.look_for(operation); }
  void wait_any(std::span<Operation* const> operations) override;
  bool probe(Rank source, Tag tag, Context context, Status& found, bool block) override;
  bool cancel(Operation& receive) override { return base_.cancel(receive); }
  void withdraw(Operation& operation) noexcept override { base_.withdraw(operation); }
  [[nodiscard]] std::string_view method(Rank peer) const override { return base_.method(peer); }
  [[nodiscard]] bool is_on_this_host(Rank peer) const override { return base_.is_on_this_host(peer); }
  [[nodiscard]] bool sends_through_memory(Rank peer) const override { return base_.sends_through_memory(peer); }
  [[nodiscard]] bool can_read_memory(Rank peer) const override { return base_.can_read_memory(peer); }
  [[nodiscard]] bool read_memory(Rank peer, std::uint64_t address, std::span<std::byte> into) override {
    return base_.read_memory(peer, address, into);
  }
  [[nodiscard]] std::span<std::byte> board(Rank reader, std::size_t bytes, int readers) override;
  [[nodiscard]] std::unique_ptr<SharedMemory> create_memory(Rank peer, std::size_t bytes) override {
    return base_.create_memory(peer, bytes);
  }
  [[nodiscard]] std::unique_ptr<SharedMemory> map_memory(Rank creator, std::int64_t number,
                                                         std::size_t bytes) override {
    return base_.map_memory(creator, number, bytes);
  }
  void wake(Rank peer) override { base_.wake(peer); }
  void wait_for_memory(std::span<const Rank> writers, const std::function<bool()>& done) override;
  void open_contexts(Context first, std::span<const Rank> members) override { base_.open_contexts(first, members); }
  void close_contexts(Context first) noexcept override { base_.close_contexts(first); }

 private:
  void block(std::span<Operation* const> operations);
  /// Moves everything along once, then lets other threads in. `rounds`: how often that was done before.
  void look_and_let_in(unsigned rounds);
  void wait_in_turns(std::span<Operation* const> operations);
  void resume(Job& job);
  void run_ready();
  static void enter(unsigned high, unsigned low);

  Endpoint& base_;
  Comm* comm_ = nullptr;
  std::vector<std::shared_ptr<Job>> jobs_;  ///< that are not done
  Job* running_ = nullptr;
  std::vector<std::byte*> stacks_;  ///< free ones
};

}  // namespace nasvm::mpi
