#pragma once
/// \file
/// Cores of a task's own.
///
/// Two tasks that the system has put on one core keep each other from answering, however many cores are idle; bound
/// to cores of their own they cannot meet. But several runs on one computer must not choose the same cores, so a core
/// is claimed: its owner holds a socket of a fixed name in the abstract namespace, which only one process can have,
/// which is in no file system and goes with the process. Any user can take any such name, so the names are those of
/// one user, and a name that another user holds counts for nothing: the next one is used instead. Runs of different
/// users do not see each other's claims; they let go when they are disturbed (Engine::on_disturbance). Compare Open
/// MPI's `--bind-to core`, which does not ask who else runs.

#include <vector>

#include "vm/machine_topology.hpp"
#include "vm/net/fd.hpp"

namespace nasvm {

/// Cores of one task. The calling thread, and threads that it starts later, stay on them until `release`.
class OwnCores {
 public:
  OwnCores() = default;
  /// Binds the thread to `count` unclaimed ones of its cores, beginning the search at the `first`-th (modulo their
  /// number), or to none when there are not enough. Never throws: without cores of its own a task works as well.
  static OwnCores claim(int first, int count);

  OwnCores(OwnCores&&) noexcept = default;
  OwnCores& operator=(OwnCores&&) noexcept = default;
  ~OwnCores() { release(); }

  /// Numbers of the cores; empty: none were to be had.
  [[nodiscard]] const std::vector<int>& numbers() const { return numbers_; }
  /// Lets the thread go where it could before, and others have the cores.
  void release();

 private:
  std::vector<int> numbers_;
  std::vector<net::Fd> claims_;
  std::vector<int> before_;  ///< where the thread could go
};

}  // namespace nasvm
