#pragma once
/// \file
/// What each function of MPI was called for: calls, time, bytes that it was given to send; and how long messages
/// were. Counting costs two readings of the cycle counter for a call that communicates, unless it is one of many
/// quick ones; an addition for one that does not.

#include <array>
#include <bit>
#include <cstdint>

#include "mpi_functions.hpp"
#include "vm/metrics/clock.hpp"
#include "vm/metrics/quick_calls.hpp"

namespace nasvm::mpi {

struct CallCount {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  Ticks time = 0;
};

class Statistics {
 public:
  /// Messages by length: of 0 bytes, of 1, of 2 and 3, of 4 to 7, and so on.
  static constexpr std::size_t lengths = 65;

  void count(Function function) { ++calls_[static_cast<std::size_t>(function)].calls; }
  void time(Function function, Ticks spent) { calls_[static_cast<std::size_t>(function)].time += spent; }
  QuickCalls& quick(Function function) { return quick_[static_cast<std::size_t>(function)]; }
  /// The function that is running was given so many bytes to send.
  void given(std::size_t bytes) { calls_[static_cast<std::size_t>(running)].bytes += bytes; }
  /// It sends them as a message.
  void sends(std::size_t bytes) {
    given(bytes);
    ++lengths_[static_cast<std::size_t>(std::bit_width(bytes))];
  }
  [[nodiscard]] const CallCount& of(Function function) const { return calls_[static_cast<std::size_t>(function)]; }
  [[nodiscard]] const std::array<std::uint64_t, lengths>& by_length() const { return lengths_; }
  void add(const Statistics& more) {
    for (std::size_t i = 0; i < function_count; ++i) {
      calls_[i].calls += more.calls_[i].calls;
      calls_[i].bytes += more.calls_[i].bytes;
      calls_[i].time += more.calls_[i].time;
    }
    for (std::size_t i = 0; i < lengths; ++i) lengths_[i] += more.lengths_[i];
  }
  void clear() {
    calls_ = {};
    lengths_ = {};
  }

  Function running = Function{};

 private:
  std::array<CallCount, function_count> calls_{};
  std::array<std::uint64_t, lengths> lengths_{};
  std::array<QuickCalls, function_count> quick_{};
};

}  // namespace nasvm::mpi
