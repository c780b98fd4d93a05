/// \file
/// The daemon's main function: reads its bootstrap line, serves, leaves.

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "vm/daemon/daemon.hpp"
#include "vm/daemon/place.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/process/core_dumps.hpp"
#include "vm/protocol/protocol.hpp"
#include "vm/status.hpp"
#include "vm/version.hpp"

namespace {

/// For measuring how fast this computer copies: a crowded machine must not start more slowly for that.
constexpr std::chrono::milliseconds longest_probe{10};

int complain(nasvm::Exit status, const char* text) {
  std::fprintf(stderr, "nasvmd: %s\n", text);
  return static_cast<int>(status);
}

std::string bootstrap_line() {
  if (::isatty(STDIN_FILENO) != 0) throw nasvm::UsageError("nasvmd is started by nasvm run, not by hand");
  std::string line;
  std::getline(std::cin, line);
  if (!line.empty()) return line;
  throw nasvm::UsageError(
      "nasvmd is started by nasvm run, which tells it on standard input where the console is, but that was empty: "
      "does the remote shell (ssh -n), or a start file of the shell there, read it?");
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 2 && std::string_view(words[1]) == "--version") {
      std::printf("nasvmd %s\n", std::string(nasvm::build_version()).c_str());
      return static_cast<int>(nasvm::Exit::ok);
    }
    nasvm::process::forbid_core_dumps();
    const std::string line = bootstrap_line();
    const auto bootstrap = nasvm::protocol::parse_bootstrap(line, nasvm::build_version());
    nasvm::daemon::Place place =
        nasvm::daemon::find_place(bootstrap, nasvm::daemon::rank_in_environment(bootstrap.rank_variable));
    // The terminal's signals are for the console, which ends the machine in good order.
    ::setsid();
    ::signal(SIGPIPE, SIG_IGN);
    nasvm::put_copy_rates_into_environment(longest_probe);
    nasvm::daemon::Daemon daemon(bootstrap, std::move(place));
    daemon.run();
    if (const std::string remark = daemon.remark(); !remark.empty()) complain(nasvm::Exit::ok, remark.c_str());
    return static_cast<int>(nasvm::Exit::ok);
  } catch (const nasvm::Error& error) {
    return complain(error.exit_status(), error.what());
  } catch (const std::exception& error) {
    return complain(nasvm::Exit::broken, error.what());
  }
}
