#pragma once
/// \file
/// Checkpoints: what a kernel has to keep so that another run can go on after an iteration, also with another number
/// of tasks. Kernels say what it is; whoever runs them keeps it (docs/checkpoints.md), outside of what is
/// timed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nasvm {

/// Some bytes of an array that all tasks share.
struct StatePiece {
  std::uint64_t position = 0;  ///< of the first, in the whole array
  std::span<std::byte> bytes;
};

/// One task's view of a kernel's state between two iterations: an array, and a few numbers.
struct KernelState {
  std::string_view layout;        ///< what the array is, and in which order: others cannot be restored from it
  std::uint64_t array_bytes = 0;  ///< of all tasks together
  /// To be saved: what this task owns, so that the pieces of all tasks are the array. To be restored: whatever it
  /// needs; they may overlap.
  std::vector<StatePiece> pieces{};
  /// Equally many on all tasks. Those of rank 0 are saved, and all tasks get them back.
  std::span<std::byte> numbers{};
};

/// One task's part in them. Calls block, and throw RunError and UsageError.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  /// Is one to be made after iteration number `iteration` (from 1) of so many? The same on every task.
  [[nodiscard]] virtual bool is_due(int iteration, int iterations) const = 0;
  /// Collective. The state after an iteration; the buffers may be used again afterwards.
  virtual void save(int iteration, const KernelState& state) = 0;
  /// Will `restore` fill in the state? The same on every task.
  [[nodiscard]] virtual bool can_restore() const = 0;
  /// Collective. Fills the pieces and numbers; returns after which iteration they were saved.
  virtual int restore(const KernelState& state) = 0;
};

}  // namespace nasvm
