#include "vm/launch/scratch_folder.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "vm/status.hpp"

namespace nasvm {
namespace {

namespace fs = std::filesystem;

constexpr std::array places{"/dev/shm", "/tmp"};
constexpr std::string_view name_prefix = "nasvm-mpi-";

/// The process that made a folder of that name; 0 for any other name.
pid_t maker_of(std::string_view name) {
  if (!name.starts_with(name_prefix)) return 0;
  name.remove_prefix(name_prefix.size());
  pid_t pid = 0;
  (void)std::from_chars(name.data(), name.data() + name.size(), pid);
  return pid;
}

/// Removes the folders of this user's processes that are gone.
void sweep(const char* place) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    const pid_t maker = maker_of(entry.path().filename().native());
    if (maker <= 0 || ::kill(maker, 0) == 0 || errno != ESRCH) continue;
    struct stat status {};
    if (::lstat(entry.path().c_str(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    fs::remove_all(entry.path(), error);
  }
}

}  // namespace

ScratchFolder::ScratchFolder() {
  for (const char* place : places) sweep(place);
  for (const char* place : places) {
    std::string name = std::string(place) + "/" + std::string(name_prefix) + std::to_string(::getpid()) + "-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) {
      path_ = name;
      return;
    }
  }
  throw RunError(std::string("cannot make a folder in /dev/shm or /tmp: ") + std::strerror(errno));
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace nasvm
