#include "vm/keeper/runtime_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "vm/proc.hpp"
#include "vm/status.hpp"

namespace nasvm::keeper {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t longest_name = 64;
constexpr int backlog = 64;

constexpr int lock_attempts = 20;
constexpr auto lock_pause = 10ms;

[[noreturn]] void fail(const std::string& what) { throw RunError(what + ": " + std::strerror(errno)); }

/// False: it is not there. Throws UsageError when it is not the user's alone.
bool is_own_folder(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    fail(path);
  }
  // A folder may have got its group from the one above, with the bit that says so (S_ISGID): that opens nothing.
  if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 0777) == 0700) return true;
  throw UsageError(path + " is not a folder of yours that is closed to others (mode 0700): remove it, or say with " +
                   "XDG_RUNTIME_DIR where machines are to be kept");
}

void make_own_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) fail("cannot make the folder " + path);
  (void)is_own_folder(path);
}

/// None: it cannot be opened, and errno says why. Throws RunError when it is not a plain file of the user's alone:
/// then nothing is waited for, as before a pipe, and nothing of others is read.
net::Fd open_own_file(const std::string& path, int flags) {
  net::Fd file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file && errno != ELOOP && errno != ENXIO) return file;
  struct stat status {};
  const bool own = file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                   status.st_uid == ::geteuid() && (status.st_mode & 07777) == 0600;
  if (own) return file;
  throw RunError(path + " is not a plain file of yours that is closed to others (mode 0600): remove it");
}

/// A file's text up to the first newline.
std::string first_line(const net::Fd& file) {
  std::array<char, 4096> text{};
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  return {text.data(), std::find(text.data(), text.data() + std::max<ssize_t>(0, got), '\n')};
}

/// Empty where there is no such file.
std::string first_line(const std::string& path) {
  const net::Fd file = open_own_file(path, O_RDONLY);
  return file ? first_line(file) : "";
}

void write_text(const net::Fd& file, const std::string& text, const std::string& path) {
  errno = ENOSPC;  // of a write that stops short
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    fail("cannot write " + path);
  }
}

void write_file(const std::string& path, const std::string& text) {
  ::unlink(path.c_str());
  const net::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) fail("cannot make " + path);
  write_text(file, text, path);
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

bool is_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= longest_name && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, is_allowed);
}

/// What process numbers mean something to: containers that share a folder each have numbers of their own.
std::string place_of_numbers() { return boot_id() + " " + process_namespace(); }

net::Fd stream_socket() {
  net::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) fail("cannot make a socket");
  return fd;
}

}  // namespace

void check_name(std::string_view name) {
  if (is_name(name)) return;
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
    std::string name = entry->path().filename();
    if (is_name(name) && entry->is_directory(error)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

RuntimeFolder::RuntimeFolder(std::string name) : name_(std::move(name)) {
  check_name(name_);
  path_ = runtime_base() + "/" + name_;
}

bool RuntimeFolder::exists() const { return is_own_folder(runtime_base()) && is_own_folder(path_); }

/// Who removes the last machine's folder removes the one above it, too, perhaps just now.
void RuntimeFolder::make() const {
  for (int attempt = 1; attempt < lock_attempts; ++attempt) {
    make_own_folder(runtime_base());
    if (::mkdir(path_.c_str(), 0700) == 0 || errno != ENOENT) break;
  }
  make_own_folder(path_);
}

// --- lock ----------------------------------------------------------------------------------------------------------

/// Who held it before may have removed the file meanwhile: then it is another one that counts.
net::Fd RuntimeFolder::lock(Holder holder) const {
  for (;;) {
    net::Fd file = open_own_file(path("lock"), O_RDWR | O_CREAT);
    if (!file && errno == ENOENT) {
      if (holder == Holder::unnamed) return {};
      make();
      continue;
    }
    if (!file) fail("cannot open " + path("lock"));
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
    if (!is_held(file.get())) continue;
    if (::ftruncate(file.get(), 0) != 0) fail("cannot write " + path("lock"));
    const std::string who = std::to_string(::getpid()) + " " + place_of_numbers() + "\n";
    if (holder == Holder::named) write_text(file, who, path("lock"));
    return file;
  }
}

net::Fd RuntimeFolder::lock_soon(Holder holder) const {
  net::Fd held = lock(holder);
  for (int attempt = 1; attempt < lock_attempts && !held && exists(); ++attempt) {
    std::this_thread::sleep_for(lock_pause);
    held = lock(holder);
  }
  return held;
}

bool RuntimeFolder::is_held(int lock) const {
  struct stat held {
  }, there{};
  return ::fstat(lock, &held) == 0 && ::lstat(path("lock").c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

std::optional<pid_t> RuntimeFolder::holder() const {
  const net::Fd file = open_own_file(path("lock"), O_RDONLY);
  if (!file || ::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  const std::string line = first_line(file);
  const std::size_t blank = std::min(line.find(' '), line.size());
  // Builds before this one have said their number alone.
  if (blank < line.size() && line.substr(blank + 1) != place_of_numbers()) return 0;
  pid_t pid = 0;
  std::from_chars(line.data(), line.data() + blank, pid);
  return pid;
}

// --- files ---------------------------------------------------------------------------------------------------------

void RuntimeFolder::write_secret(const Secret& secret) const { write_file(path("secret"), to_hex(secret) + "\n"); }

Secret RuntimeFolder::read_secret() const {
  const std::string text = first_line(path("secret"));
  if (text.empty()) {
    throw RunError("machine " + name_ + " is about to start or to end, it has no secret: try again, or end it with " +
                   "nasvm vm stop " + name_);
  }
  try {
    return secret_from_hex(text);
  } catch (const UsageError&) {
    throw RunError("machine " + name_ + ": " + path("secret") + " is not a secret: end it with nasvm vm stop " +
                   name_);
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

/// Without the log, or without the folder above (another's, perhaps), a machine can be found all the same.
void RuntimeFolder::keep_fresh() const {
  for (const std::string& part : {runtime_base(), path_, path("lock"), path("secret"), path("socket"), log()})
    (void)::utimensat(AT_FDCWD, part.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

void RuntimeFolder::clear() const {
  for (const char* file : {"secret", "socket", "ended"}) ::unlink(path(file).c_str());
}

void RuntimeFolder::remove() const {
  clear();
  for (const char* file : {"log", "lock"}) ::unlink(path(file).c_str());
  ::rmdir(path_.c_str());
  ::rmdir(runtime_base().c_str());
}

bool RuntimeFolder::clear_away() const {
  try {
    const net::Fd held = lock_soon(Holder::unnamed);
    if (held) remove();
  } catch (const RunError&) {
    ::rmdir(path_.c_str());  // there is not even room for a lock: nobody has one
  }
  ::rmdir(runtime_base().c_str());
  return !exists();
}

}  // namespace nasvm::keeper
