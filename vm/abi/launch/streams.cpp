#include "vm/abi/launch/streams.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "vm/process/pipe.hpp"
#include "vm/status.hpp"

namespace nasvm::abi {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw RunError("cannot hand out the standard streams: " + what + ": " + std::strerror(errno));
}

constexpr char wants_input = 'i';
constexpr char wants_output = 'o';

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

/// Room for the descriptors that travel along with one byte.
union Control {
  cmsghdr head;
  std::array<char, CMSG_SPACE(3 * sizeof(int))> bytes;
};

struct Parcel {
  explicit Parcel(Control& control) {
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
  }
  char byte = 0;
  iovec piece{&byte, 1};
  msghdr message{};
};

void send_streams(int socket, bool with_input) {
  std::vector<int> descriptors;
  if (with_input) descriptors.push_back(STDIN_FILENO);
  descriptors.push_back(STDOUT_FILENO);
  descriptors.push_back(STDERR_FILENO);
  const std::size_t bytes = descriptors.size() * sizeof(int);
  Control control{};
  Parcel parcel(control);
  parcel.message.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(head), descriptors.data(), bytes);
  (void)::sendmsg(socket, &parcel.message, MSG_NOSIGNAL);
}

}  // namespace

StreamHost::StreamHost() {
  std::string folder = "/tmp/nasvm-streams-XXXXXX";  // mode 0700
  if (::mkdtemp(folder.data()) == nullptr) fail(folder);
  folder_ = folder;
  path_ = folder_ + "/socket";
  listener_ = net::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(path_);
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_.get(), SOMAXCONN) != 0) {
    ::rmdir(folder_.c_str());
    fail(path_);
  }
  process::Pipe stop;
  stop_read_ = std::move(stop.read);
  stop_write_ = std::move(stop.write);
  server_ = std::thread([this] { serve(); });
}

StreamHost::~StreamHost() {
  stop_write_.reset();
  server_.join();
  ::unlink(path_.c_str());
  ::rmdir(folder_.c_str());
}

/// What was told before the host stopped is heard.
void StreamHost::serve() {
  for (bool stopping = false; !stopping;) {
    std::vector<pollfd> watched{{stop_read_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const net::Fd& task : tasks_) watched.push_back({task.get(), POLLIN, 0});
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;
    stopping = watched[0].revents != 0;
    std::vector<net::Fd> kept;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (watched[i + 2].revents == 0 || hear(tasks_[i].get())) kept.push_back(std::move(tasks_[i]));
    }
    tasks_ = std::move(kept);
    if (watched[1].revents != 0) welcome();
  }
}

void StreamHost::welcome() {
  net::Fd task(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  char wants = 0;
  if (!task || ::recv(task.get(), &wants, 1, 0) != 1) return;
  send_streams(task.get(), wants == wants_input);
  tasks_.push_back(std::move(task));
}

/// False: nothing more will come.
bool StreamHost::hear(int task) {
  int status = 0;
  if (::recv(task, &status, sizeof status, MSG_DONTWAIT) != sizeof status) return false;
  int none = 0;
  if (status != 0) (void)failure_.compare_exchange_strong(none, status);
  return true;
}

int StreamHost::take_failure() { return failure_.exchange(0); }

StreamGuest::StreamGuest(const std::string& path, int rank)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_un address = address_of(path);
  if (path.empty() || ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    socket_.reset();
    return;
  }
  const char request = rank == 0 ? wants_input : wants_output;
  if (::send(socket_.get(), &request, 1, MSG_NOSIGNAL) != 1) return;
  Control control{};
  Parcel parcel(control);
  if (::recvmsg(socket_.get(), &parcel.message, MSG_CMSG_CLOEXEC) != 1) return;
  const cmsghdr* head = CMSG_FIRSTHDR(&parcel.message);
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return;
  std::array<int, 3> descriptors{-1, -1, -1};
  const std::size_t bytes = std::min(head->cmsg_len - CMSG_LEN(0), sizeof descriptors);
  std::memcpy(reinterpret_cast<std::byte*>(&descriptors) + sizeof descriptors - bytes, CMSG_DATA(head), bytes);
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i] = net::Fd(descriptors[i]);
}

void StreamGuest::tell_status(int status) const {
  if (socket_) (void)::send(socket_.get(), &status, sizeof status, MSG_NOSIGNAL);
}

}  // namespace nasvm::abi
