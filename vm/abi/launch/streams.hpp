#pragma once
/// \file
/// The user's standard streams for programs of others: tasks of this computer ask the console for them, by a socket
/// in a folder that is the user's alone, and write whole lines to them. On other computers, lines take the way of
/// what daemons say.

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "vm/net/fd.hpp"

namespace nasvm::abi {

/// Hands this process's standard streams to whoever asks, and hears how programs have ended, while it exists.
class StreamHost {
 public:
  /// Throws RunError.
  StreamHost();
  ~StreamHost();
  StreamHost(const StreamHost&) = delete;
  StreamHost& operator=(const StreamHost&) = delete;

  /// The socket's path.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Exit status of the first program since the last question that has told of one that is not 0, as a shell has it;
  /// 0: none.
  int take_failure();

 private:
  void serve();
  void welcome();
  [[nodiscard]] bool hear(int task);

  std::string folder_, path_;
  net::Fd listener_;
  net::Fd stop_read_, stop_write_;
  std::vector<net::Fd> tasks_;
  std::atomic<int> failure_ = 0;
  std::thread server_;
};

/// A task's end of it.
class StreamGuest {
 public:
  /// Asks for the streams. Those that cannot be had are empty.
  StreamGuest(const std::string& path, int rank);
  /// Input (rank 0 alone), output, error.
  [[nodiscard]] const net::Fd& stream(int number) const { return streams_[static_cast<std::size_t>(number)]; }
  /// The program has ended, with that exit status as a shell has it.
  void tell_status(int status) const;

 private:
  net::Fd socket_;
  std::array<net::Fd, 3> streams_;
};

}  // namespace nasvm::abi
