#pragma once
/// \file
/// The leader of a farm: hands out work in small units on demand to workers that come back with results, and computes
/// some itself meanwhile. Keeps its result whatever happens to workers.
///
/// Source: White, Alund, Sunderam, Performance of the NAS Parallel Benchmarks on PVM Based Networks, section 7.2.

#include <chrono>
#include <functional>
#include <optional>

#include "vm/farm/scheduler.hpp"

namespace nasvm::farm {

/// What a farm computes: units that anybody can compute, in any order.
struct Work {
  std::int64_t units = 0;
  std::function<Row(const Units&)> compute;
};

/// The workers as their leader sees them, numbered from 1.
class Crew {
 public:
  virtual ~Crew() = default;

  [[nodiscard]] virtual int size() const = 0;
  /// Tells a worker to compute a piece, after those that it has. Does not wait; nothing when it is gone.
  virtual void give(int worker, const Piece& piece) = 0;

  struct Result {
    std::uint64_t piece = 0;
    double spent_s = 0;
    Row row;
  };
  struct Heard {
    int worker = 0;
    bool is_gone = false;
    Result result{};  ///< unless it is gone
  };
  /// What comes next of the workers; waits for it no longer than `patience`, with zero not at all.
  virtual std::optional<Heard> hear(std::chrono::nanoseconds patience) = 0;
};

struct Yield {
  Row sum;
  std::int64_t units_again = 0;  ///< handed out once more, when another worker had them in hand
};

/// Computes all the work with the crew. Blocks. `now_s` is a clock, in seconds.
Yield lead(Crew& crew, const Work& work, const std::function<double()>& now_s);

}  // namespace nasvm::farm
