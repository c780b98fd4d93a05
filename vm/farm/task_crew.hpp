#pragma once
/// \file
/// The crew of a farm: tasks that its leader has spawned.

#include <string>
#include <vector>

#include "vm/farm/lead.hpp"
#include "vm/metrics/counters.hpp"
#include "vm/task.hpp"

namespace nasvm::farm {

class TaskCrew final : public Crew {
 public:
  /// Spawns them. Blocks until they have joined.
  TaskCrew(Task& task, int workers, const std::string& setup);

  [[nodiscard]] int size() const override { return static_cast<int>(workers_.size()); }
  void give(int worker, const Piece& piece) override;
  std::optional<Heard> hear(std::chrono::nanoseconds patience) override;

  /// Tells all that everything is done, and waits until they have left, or ends them.
  void dismiss(double time_s);

  /// Who did not leave in good order.
  [[nodiscard]] int lost() const { return lost_; }
  [[nodiscard]] const Counters& communication() const { return counters_; }

 private:
  struct Worker {
    Tid tid;
    bool gone = false;
  };

  void send(int worker, Tag tag, const PackBuffer& message);
  std::optional<Heard> take(Task::Received& received);
  [[nodiscard]] int number_of(Tid tid) const;

  Task& task_;
  std::vector<Worker> workers_;  ///< number 1 is the first
  int lost_ = 0;
  Counters counters_;
};

}  // namespace nasvm::farm
