// What MPI_INFO_ENV says (MPI-4.0, section 11.2.1): how the program has been started.

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "vm/abi/mpi/constants.hpp"
#include "vm/abi/mpi/predefined.hpp"
#include "vm/proc.hpp"

namespace nasvm::mpi {
namespace {

void add(Entries& entries, const char* key, const std::string& value) {
  if (!value.empty()) entries.emplace_back(key, value.substr(0, max_info_value - 1));
}

/// The program's name, and what is behind it.
std::pair<std::string, std::string> command_line() {
  std::istringstream words(proc_text("/proc/self/cmdline"));
  std::string command, word, rest;
  std::getline(words, command, '\0');
  while (std::getline(words, word, '\0')) rest += (rest.empty() ? "" : " ") + word;
  return {command, rest};
}

Entries surroundings() {
  Entries entries;
  const auto [command, arguments] = command_line();
  add(entries, "command", command);
  add(entries, "argv", arguments);
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");  // as our launcher has it, too
  add(entries, "maxprocs", size != nullptr ? size : "1");
  utsname system{};
  if (::uname(&system) == 0) {
    add(entries, "host", system.nodename);
    add(entries, "arch", system.machine);
  }
  std::error_code error;
  add(entries, "wdir", std::filesystem::current_path(error).string());
  return entries;
}

}  // namespace

Info& environment_info() {
  // Programs may still have its handle when everything else is gone.
  static Info& info = []() -> Info& {
    auto& made = *new Info(1);
    made.entries = surroundings();
    return made;
  }();
  return info;
}

}  // namespace nasvm::mpi
