#pragma once
/// \file
/// What console, daemons and tasks say to each other: control packets (PacketKind::control) whose payload is a JSON
/// object with a "type". Control is rare; its format is chosen for being readable and checkable.
///
///     console -> daemon   hosts   {hosts: [{host, name, address, udp_port}]}     all daemons are up
///                         spawn   {program, arguments, environment, tasks: [{tid, rank}], size, setup, load}
///                         start   {members: [{tid, host, descriptors}]}          all tasks are ready; by rank
///                         kill    {}                                             end the tasks at once
///                         ping    {}
///                         halt    {}                                             end the daemon
///     daemon -> console   hello   {host, name, pid, udp_port, computer, cpu, cores, memory_bytes, kernel}
///                         ready   {tid, pid, descriptors}
///                         failed  {tid, exit, text}                              a task says why it gives up
///                         exited  {tid, pid, clean, signal, text}
///                         killed  {}                                             no task is left after a kill
///                         lost    {host, text}                                       another daemon is out of reach
///                         pong    {}
///     daemon -> task      welcome {tid, rank, size, address, secret, setup, load}
///                         start   (as above)
///     task -> daemon      ready, failed (as above), done {}, group {group, tids}
///     daemon -> daemon    group {group, tids}                                    members on that host
///
/// `setup` is what the console tells every task of a program; see task.hpp. `load`: {threads, daemons}, how many of
/// them share the computer that the host is on (several hosts may be one computer), which decides how tasks wait.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "vm/message.hpp"
#include "vm/transport/transport.hpp"

namespace nasvm::protocol {

using Json = nlohmann::json;

/// Handshake contexts: what a connection is for.
inline constexpr std::uint32_t control_connection = 1;
inline constexpr std::uint32_t direct_connection = 2;

/// Environment variable with the number of the descriptor on which a task talks to its daemon.
inline constexpr const char* task_fd_variable = "NASVM_TASK_FD";

/// Longest control text; a longer one is garbage.
inline constexpr std::size_t max_control_bytes = 64 * 1024 * 1024;

/// The envelope of a control text.
Envelope control_envelope(Tid source, Tid destination, const std::string& text);

/// Sends `message` as a control packet over anything that has send_copy (PacketStream, Connection).
template <typename Stream>
void send(Stream& stream, Tid source, Tid destination, const Json& message) {
  const std::string text = message.dump();
  stream.send_copy(control_envelope(source, destination, text), std::as_bytes(std::span(text)));
}

/// Reads a control text. Throws RunError when it is not a JSON object with a "type".
Json parse(std::span<const std::byte> text);

Json to_json(const std::vector<Member>& members);
std::vector<Member> members_from_json(const Json& json);

}  // namespace nasvm::protocol
