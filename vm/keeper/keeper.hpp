#pragma once
/// \file
/// The keeper: a process in the background that owns a Machine, and serves clients who want to use it
/// (kept_machine.hpp) also while it runs the program of one of them. One thread, one event loop: the machine's.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vm/keeper/client.hpp"
#include "vm/keeper/job_queue.hpp"
#include "vm/keeper/runtime_folder.hpp"
#include "vm/launch/machine.hpp"
#include "vm/net/acceptor.hpp"
#include "vm/net/poller.hpp"
#include "vm/net/timer.hpp"

namespace nasvm::keeper {

/// Everything outlives it.
class Keeper final : public net::ConnectionOwner, public net::PacketHandler {
 public:
  /// `lock`: that of the folder. `output`: where what tasks of this computer write can be read; it is the standard
  /// error of their daemons.
  Keeper(Machine& machine, const RuntimeFolder& folder, int lock, const Secret& secret, net::Fd output);
  ~Keeper() override;

  /// Serves until a client says stop, or a signal, or its folder is not its own any more, as clients cannot find it
  /// then; or no host is left, or something has gone wrong: then it says so, else nothing.
  std::string serve();
  /// A line of a daemon or of a helper program, for whose job is under way. Of a client that does not read them so
  /// many are kept, and it is told how many were not.
  void take_remark(const std::string& line);

 private:
  /// What comes through the pipe, until its reader has too much of it.
  class OutputPipe;

  // net::ConnectionOwner, net::PacketHandler
  bool admits(net::Connection& connection, Tid peer) override;
  void established(net::Connection& connection) override;
  void lost(net::Connection& connection, const std::string& reason) override;
  net::Landing begin_packet(const Envelope& envelope) override;
  void end_packet(const Envelope& envelope, const net::Landing& landing) override;
  void packet_sent(net::Packet& packet) override;

  using Clients = std::map<std::uint32_t, std::unique_ptr<Client>>;

  void hear(std::uint32_t id, Client& client, const Message& message);
  void greet(Client& client, const Greeting& greeting);
  void enqueue(std::uint32_t id, Client& client, const Message& request);
  /// It has gone, and with it what it wanted.
  void forget(Clients::iterator client);
  /// So much more is to wait for the client. False: it does not read, and has been cut off.
  bool has_room(std::uint32_t id, std::size_t more_bytes);
  void stop(const std::string& reason);
  void look_at_folder();
  void carry_out(const JobQueue::Entry& entry);
  void run(const Run& request);
  void send_reports(const std::vector<std::string>& reports);
  [[nodiscard]] State state() const;
  [[nodiscard]] bool has_hosts() const;
  /// Whose job is under way; nullptr when nobody's is, or it has gone.
  [[nodiscard]] Client* customer();
  void take_output(std::span<const std::byte> bytes);
  void tell_of_dropped_remarks(Client& client);
  void write_log(std::string_view text);

  Machine& machine_;
  const RuntimeFolder& folder_;
  int lock_;
  std::int64_t since_s_;
  net::Fd log_;
  std::size_t logged_bytes_ = 0;
  JobQueue queue_;
  Clients clients_;
  std::vector<std::unique_ptr<Client>> gone_;  ///< to be destroyed between events
  net::Acceptor acceptor_;
  std::unique_ptr<OutputPipe> output_;
  std::size_t dropped_remarks_ = 0;  ///< lines for the customer that it has not been told of
  net::Timer look_;
  net::Timer::Clock::time_point next_freshening_{};
  bool stopping_ = false;
  std::string stop_reason_;  ///< what clients are told
};

/// The main function of that process: reads an Order from standard input, says on standard output, in one line, Done
/// or Failed, and serves. Returns the exit status.
int keeper_main();

/// The argument with which a program becomes a keeper.
inline constexpr const char* keeper_argument = "keeper";

}  // namespace nasvm::keeper
