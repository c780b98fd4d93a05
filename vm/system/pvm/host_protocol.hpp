#pragma once
/// \file
/// What the console and `nasvm-pvm-host`, the process on each other host of a run over PVM, say to each other, in
/// lines.
///
/// On its standard input that process reads the host's share of the run (PvmShare, JSON), then `pvmd` with the
/// arguments of PVM's daemon, then `tasks`. When its input ends it ends what it has started, removes its folder, and
/// ends itself; so it does when it has heard nothing for `most_silence`, as from a host that the network has lost. On
/// its standard output it tells what follows below; lines of tasks go through as they are.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "vm/status.hpp"
#include "vm/system/pvm/pvm_host.hpp"

namespace nasvm::pvm_protocol {

/// Lines, with their newline.
std::string to_line(const PvmShare& share);
std::string line_for_pvmd(const std::vector<std::string>& arguments);
std::string line_for_tasks();
/// The console is there, and has nothing else to say; every `sign_of_life`.
std::string line_for_life();
inline constexpr std::chrono::seconds sign_of_life{4};
inline constexpr std::chrono::seconds most_silence{20};

/// What the host's process has to do; exactly one of them.
struct Command {
  std::optional<PvmShare> share;
  std::optional<std::vector<std::string>> pvmd;
  bool tasks = false;
  bool life = false;
};
/// Throws RunError when the line is none of these.
Command parse_command(const std::string& line);

/// What it tells; fields that are not of its kind have no meaning.
struct News {
  enum class Kind : std::uint8_t {
    ready,       ///< PVM is there, and may run as its user
    pvmd_says,   ///< `text`: a line of PVM's daemon
    pvmd_ended,  ///< `wait_status`
    task_ended,  ///< `rank`, `wait_status`
    failed,      ///< `exit_status`, `text`
  };
  Kind kind = Kind::ready;
  std::string text{};
  Rank rank = -1;
  int wait_status = 0;
  Exit exit_status = Exit::broken;
};
std::string to_line(const News& news);
/// None: the line is of a task, or of the remote shell.
std::optional<News> parse_news(const std::string& line);

}  // namespace nasvm::pvm_protocol
