// What a task's daemon tells it first, read without being taken.

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "vm/protocol/protocol.hpp"
#include "vm/task.hpp"

namespace nasvm {
namespace {

/// Until a daemon has written its first words, which it does at once.
constexpr int patience_ms = 120'000;
/// Between two looks at words that have come in part.
constexpr int look_ms = 1;

int socket_in_environment() {
  const char* text = std::getenv(protocol::task_fd_variable);
  int socket = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), socket);
  if (socket < 0) {
    throw UsageError("not started by a daemon: tasks are started by their console (Machine::run, or nasvm run)");
  }
  return socket;
}

/// The first bytes that have come, as many as fit, once all of them have.
void peek(int socket, std::span<std::byte> bytes) {
  pollfd watched{socket, POLLIN, 0};
  for (int waited_ms = 0; waited_ms < patience_ms; waited_ms += look_ms) {
    if (::poll(&watched, 1, patience_ms) <= 0) break;
    const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
    if (count == static_cast<ssize_t>(bytes.size())) return;
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) break;
    (void)::poll(nullptr, 0, look_ms);
  }
  throw RunError("the daemon has said nothing to its task");
}

}  // namespace

Task::Invitation Task::invitation() {
  const int socket = socket_in_environment();
  Envelope envelope;
  peek(socket, std::as_writable_bytes(std::span(&envelope, 1)));
  std::vector<std::byte> packet(sizeof envelope + envelope.payload_bytes);
  peek(socket, packet);
  const auto welcome =
      protocol::expect<protocol::Welcome>(protocol::parse(std::span(packet).subspan(sizeof envelope)));
  return {welcome.rank, welcome.size, welcome.rank_here, welcome.size_here, welcome.setup.program, socket};
}

}  // namespace nasvm
