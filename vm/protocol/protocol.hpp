#pragma once
/// \file
/// Control messages on the wire: packets of PacketKind::control whose payload is a JSON object with a "type".
/// Control is rare; its format is chosen for being readable and checkable (docs/protocol.md,
/// docs/decisions/control-packets.md).

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "vm/protocol/messages.hpp"

namespace nasvm::protocol {

/// Handshake contexts: what a connection is for.
inline constexpr std::uint32_t control_connection = 1;
inline constexpr std::uint32_t direct_connection = 2;

/// Environment variable with the number of the descriptor on which a task talks to its daemon.
inline constexpr const char* task_fd_variable = "NASVM_TASK_FD";

/// Longest control text; a longer one is garbage.
inline constexpr std::size_t max_control_bytes = 64 * 1024 * 1024;

/// The JSON form, without line breaks. What is not UTF-8 in a text is replaced by U+FFFD.
std::string to_text(const Message& message);
std::string to_text(const Bootstrap& bootstrap);

/// Reads a control text. Throws RunError, naming type and field, when it is not one of ours, unknown or incomplete.
/// Fields that are not described are ignored.
Message parse(std::span<const std::byte> text);
/// Throws UsageError; when the line is from a console of another version than `version`, it says so.
Bootstrap parse_bootstrap(std::string_view line, std::string_view version);

std::string_view type_of(const Message& message);

/// The envelope of a control text.
Envelope control_envelope(Tid source, Tid destination, std::size_t text_bytes);

/// Sends a control packet of that text over anything that has send_copy (PacketStream, Connection).
template <typename Stream>
void send_text(Stream& stream, Tid source, Tid destination, std::string_view text) {
  stream.send_copy(control_envelope(source, destination, text.size()), std::as_bytes(std::span(text)));
}
template <typename Stream>
void send(Stream& stream, Tid source, Tid destination, const Message& message) {
  send_text(stream, source, destination, to_text(message));
}

/// Throws RunError: a message of that type is not for whoever got it.
[[noreturn]] void refuse(std::string_view type);

/// What is done with each type of message that may come: one function for each.
template <typename... Functions>
struct Handlers : Functions... {
  using Functions::operator()...;
};

/// Calls the handler of this message. Throws RunError when there is none.
template <typename... Functions>
void dispatch(const Message& message, const Handlers<Functions...>& handlers) {
  std::visit(
      [&](const auto& content) {
        if constexpr (requires { handlers(content); }) {
          handlers(content);
        } else {
          refuse(content.type);
        }
      },
      message);
}

/// The message as the only type that may come now. Throws RunError when it is another.
template <typename Expected>
Expected expect(Message message) {
  if (auto* content = std::get_if<Expected>(&message)) return std::move(*content);
  refuse(type_of(message));
}

/// The part of docs/protocol.md that lists the messages, from their descriptions.
std::string documentation();

}  // namespace nasvm::protocol
