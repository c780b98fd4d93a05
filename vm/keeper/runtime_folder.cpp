#include "vm/keeper/runtime_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "vm/status.hpp"

namespace nasvm::keeper {
namespace {

constexpr std::size_t longest_name = 64;
constexpr int backlog = 64;

[[noreturn]] void fail(const std::string& what) { throw RunError(what + ": " + std::strerror(errno)); }

/// False: it is not there. Throws UsageError when it is not the user's alone.
bool is_own_folder(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    fail(path);
  }
  if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 07777) == 0700) return true;
  throw UsageError(path + " is not a folder of yours that is closed to others (mode 0700): remove it, or say with " +
                   "XDG_RUNTIME_DIR where machines are to be kept");
}

void make_own_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot make the folder " + path);
  (void)is_own_folder(path);
}

/// A file's text up to the first newline; empty where there is none.
std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void write_file(const std::string& path, const std::string& text) {
  ::unlink(path.c_str());
  const net::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail("cannot write " + path);
  }
}

/// The socket in a folder, by way of the folder's descriptor: a path may be longer than an address of a socket.
sockaddr_un socket_address(int folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(folder) + "/socket";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

net::Fd open_folder(const std::string& path) {
  return net::Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

net::Fd stream_socket() {
  net::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) fail("cannot make a socket");
  return fd;
}

}  // namespace

void check_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  const bool good = !name.empty() && name.size() <= longest_name && name.front() != '.' && name.front() != '-' &&
                    std::ranges::all_of(name, is_allowed);
  if (good) return;
  throw UsageError("\"" + std::string(name) +
                   "\" cannot be a machine's name: 1 to 64 letters, digits, '.', '_' and '-', of which the first is "
                   "a letter, a digit or '_'");
}

std::string runtime_base() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  struct stat status {};
  const bool usable = runtime != nullptr && *runtime == '/' && ::stat(runtime, &status) == 0 &&
                      S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
  return usable ? std::string(runtime) + "/nasvm" : "/tmp/nasvm-" + std::to_string(::geteuid());
}

std::vector<std::string> names_of_machines() {
  std::vector<std::string> names;
  if (!is_own_folder(runtime_base())) return names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(runtime_base(), error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

RuntimeFolder::RuntimeFolder(std::string name) : name_(std::move(name)) {
  check_name(name_);
  path_ = runtime_base() + "/" + name_;
}

bool RuntimeFolder::exists() const { return is_own_folder(runtime_base()) && is_own_folder(path_); }

void RuntimeFolder::make() const {
  make_own_folder(runtime_base());
  make_own_folder(path_);
}

// --- lock ----------------------------------------------------------------------------------------------------------

/// Who held it before may have removed the file meanwhile: then it is another one that counts.
net::Fd RuntimeFolder::lock() const {
  for (;;) {
    net::Fd file(::open(path("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) fail("cannot open " + path("lock"));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
    if (!is_held(file.get())) continue;
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(file.get(), 0) != 0 || ::write(file.get(), pid.data(), pid.size()) < 0) {
      fail("cannot write " + path("lock"));
    }
    return file;
  }
}

bool RuntimeFolder::is_held(int lock) const {
  struct stat held {
  }, there{};
  return ::fstat(lock, &held) == 0 && ::stat(path("lock").c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

std::optional<pid_t> RuntimeFolder::holder() const {
  const net::Fd file(::open(path("lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file || ::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  const std::string line = first_line(path("lock"));
  pid_t pid = 0;
  std::from_chars(line.data(), line.data() + line.size(), pid);
  return pid;
}

// --- files ---------------------------------------------------------------------------------------------------------

void RuntimeFolder::write_secret(const Secret& secret) const { write_file(path("secret"), to_hex(secret) + "\n"); }

Secret RuntimeFolder::read_secret() const {
  try {
    return secret_from_hex(first_line(path("secret")));
  } catch (const UsageError&) {
    throw RunError("machine " + name_ + ": " + path("secret") + " is not a secret");
  }
}

net::Fd RuntimeFolder::listen() const {
  const net::Fd folder = open_folder(path_);
  net::Fd socket = stream_socket();
  ::unlink(path("socket").c_str());
  const sockaddr_un address = socket_address(folder.get());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), backlog) != 0) {
    fail("cannot listen on " + path("socket"));
  }
  return socket;
}

net::Fd RuntimeFolder::connect() const {
  const net::Fd folder = open_folder(path_);
  if (!folder) return {};
  net::Fd socket = stream_socket();
  const sockaddr_un address = socket_address(folder.get());
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

std::string RuntimeFolder::end_reason() const { return first_line(path("ended")); }

void RuntimeFolder::write_end_reason(const std::string& reason) const { write_file(path("ended"), reason + "\n"); }

void RuntimeFolder::clear() const {
  for (const char* file : {"secret", "socket", "ended"}) ::unlink(path(file).c_str());
}

void RuntimeFolder::remove() const {
  clear();
  for (const char* file : {"log", "lock"}) ::unlink(path(file).c_str());
  ::rmdir(path_.c_str());
  ::rmdir(runtime_base().c_str());
}

}  // namespace nasvm::keeper
