#pragma once
/// \file
/// MessageSystem: a system that carries the messages of whole programs by itself (`mpi`, `pvm`), as one of its tasks
/// sees it. Each has a library of its own, which defines join_message_system; a program of its tasks is linked with
/// one.

#include <memory>

#include "vm/endpoint.hpp"
#include "vm/parameters.hpp"
#include "vm/status.hpp"
#include "vm/system/shared_file.hpp"

namespace nasvm {

class MessageSystem {
 public:
  /// Outlives what stands on its endpoint.
  virtual ~MessageSystem() = default;

  [[nodiscard]] virtual Endpoint& endpoint() = 0;
  /// Collective. A file that all tasks open together. Blocks. Throws UsageError where the system has none.
  virtual std::unique_ptr<SharedFile> open_shared(const std::string& path, SharedFile::Access) {
    throw UsageError(path + ": this message system has no shared files");
  }
  /// All tasks have come to their end: the destructor is to leave in good order.
  virtual void finish() = 0;
  /// This task gives up: ends the others too, where the system can do that. The launcher does it otherwise.
  virtual void abandon(int exit_status) = 0;
};

/// What the launcher has said to one task.
struct Seat {
  Parameters parameters;   ///< of the transport
  Rank rank = any_source;  ///< where the launcher gives ranks, else any_source
  int size = 0;
  int hosts = 1;  ///< of the system's own machine, where the launcher makes one
};

/// Joins the program. Blocks until all of its tasks have come. Throws UsageError and RunError.
std::unique_ptr<MessageSystem> join_message_system(const Seat& seat);

}  // namespace nasvm
