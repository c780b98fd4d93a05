#pragma once
/// \file
/// Measures how long a message takes from rank 0 to all others, as both papers do: until the sender knows that all
/// have it, and until the last one has it. Before each message all others tell rank 0 that they await it, outside of
/// the clock. Processor time is that of the calls alone, where there are many of some of them.
///
/// Where messages are complete only by luck, each is compared with what was sent, outside of the clock, and the time
/// is that of those that all have received whole.
///
/// Rank 0 decides how often and tells the others.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/commands/mcast/channel.hpp"
#include "harness/commands/mcast/record.hpp"
#include "harness/measuring/effort.hpp"
#include "vm/comm.hpp"

namespace nasvm {

class McastMeter {
 public:
  /// All tasks of `comm` make one, with the same effort. Comm and channel must outlive it.
  McastMeter(Comm& comm, MulticastChannel& channel, const Effort& effort);

  /// Measures one size; all tasks call it with the same one. Rank 0's record has the figures. Blocks; throws what
  /// Comm and the channel throw.
  McastRecord measure(std::uint64_t bytes);

  /// What was wrong here since the beginning, one line each.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  /// One message as this task has seen it.
  struct Passage {
    std::int64_t begin_ns = 0;  ///< of the sender
    std::int64_t end_ns = 0;
    int complete = 1;
  };
  /// All that count, of all tasks: rank 0 has it.
  struct Passages {
    std::vector<double> known_s;
    std::vector<double> last_s;
    std::uint64_t incomplete = 0;
  };

  [[nodiscard]] bool is_sender() const { return comm_.rank() == 0; }
  void prepare(std::uint64_t bytes);
  double batch(std::int64_t messages);
  void assemble();
  void pass(Passage& passage);
  Passages collected();
  void take_times(McastRecord& record);
  void take_cost(McastRecord& record, const multicast::Counts& before);
  void take_rejected(McastRecord& record, std::uint64_t before);
  bool check(std::uint64_t bytes);
  std::int64_t agree(std::int64_t mine);

  Comm& comm_;
  MulticastChannel& channel_;
  Effort effort_;
  bool one_clock_;
  std::vector<std::byte> ready_;  ///< what the others say before each message
  std::vector<std::byte> message_;
  std::vector<std::byte> expected_;  ///< where messages may be incomplete
  std::vector<Passage> passages_;
  double cpu_s_ = 0;  ///< for a message of the last batch
  std::vector<std::string> complaints_;
};

}  // namespace nasvm
