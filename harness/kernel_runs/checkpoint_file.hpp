#pragma once
/// \file
/// Checkpoints of a kernel in a file that all tasks write and read together, through the machine's file cache
/// (vm/files/): each task writes its pieces, wherever the disk is. A new one is written beside the old one, brought
/// to disk, and takes its name then, so that there is always a whole one; the old one is what the next is written
/// over (docs/decisions/checkpoints.md). It is locked while it is written, and until it has its name, and what is
/// locked by another run is neither renamed nor removed: of two that write the same checkpoint at a time, one is
/// told. RunError where a checkpoint cannot be written; nothing of it is left then.

#include <optional>
#include <string>
#include <vector>

#include "harness/kernel_runs/checkpoint_head.hpp"
#include "harness/kernel_runs/checkpoint_names.hpp"
#include "harness/kernel_runs/checkpoint_options.hpp"
#include "kernels/checkpoint.hpp"
#include "vm/files/session.hpp"
#include "vm/task.hpp"

namespace nasvm {

class CheckpointFile final : public Checkpoints {
 public:
  /// Collective. Of a run of that kernel and class, which has so many iterations. The task outlives it.
  CheckpointFile(Task& task, const CheckpointOptions& options, const std::string& kernel, char problem_class,
                 int iterations);
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;
  ~CheckpointFile() override;

  [[nodiscard]] bool is_due(int iteration, int iterations) const override;
  void save(int iteration, const KernelState& state) override;
  [[nodiscard]] bool can_restore() const override { return !options_.restart.empty(); }
  int restore(const KernelState& state) override;

  /// How many there were, and how fast, for people; on rank 0.
  [[nodiscard]] NamedTexts details() const;

 private:
  [[nodiscard]] CheckpointHead head_for(int iteration, const KernelState& state) const;
  void follow_links();
  /// Where the next one is written.
  [[nodiscard]] std::string beside() const { return options_.save + ".new"; }
  /// Collective. The file that is to be written, by the first task that can: the spare, or a new one. A spare has its
  /// space on disk: taking that anew, and giving it back, costs as much as half of the writing.
  void take_file();
  [[nodiscard]] std::string refusal(int error) const;
  int open_locked(std::uint64_t share_bytes);
  int write(const CheckpointHead& head, const KernelState& state);
  void write_at(int file, std::uint64_t position, std::span<const std::byte> bytes);
  void read_at(int file, std::uint64_t position, std::span<std::byte> bytes);
  CheckpointHead read_head(int file, const KernelState& state);
  /// By the task that has made the file: not every host needs to see it.
  void take_name();
  /// What has not taken its name.
  void remove_made();
  void measure_disk(std::uint64_t bytes);

  Task& task_;
  CheckpointOptions options_;
  CheckpointHead identity_;
  int iterations_;
  files::Session session_;
  files::Files& files_;
  std::optional<FileMark> made_;   ///< what is being written, where this task has made it
  std::optional<FileMark> named_;  ///< the last one, where this task has given it its name
  std::optional<FileMark> spare_;  ///< the one before, where this task has given it the name of the next
  int restored_ = 0;               ///< iteration that the run went on from
  std::uint64_t bytes_ = 0;
  std::vector<double> times_s_;       ///< of each checkpoint, opening to being on disk
  std::vector<double> disk_times_s_;  ///< of as many bytes in one sequence
};

}  // namespace nasvm
