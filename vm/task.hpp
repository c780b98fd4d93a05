#pragma once
/// \file
/// Task: one process's end of the virtual machine. Knows its tid, its parent and its siblings; sends packed messages
/// through the daemons (send, mcast) and unpacked ones directly (fsend); has the Comm that parallel programs use.
///
/// A daemon starts a task as a process that finds its connection to the daemon in the environment; `Task()` joins
/// the machine and returns when all tasks of the program have joined. One thread uses it. Blocking calls make
/// progress on everything. Errors are RunErrors.
///
/// Sources: White, Ålund, Sunderam, Performance of the NAS Parallel Benchmarks on PVM Based Networks, sections 3
/// and 6.1; Dunigan and Hall, PVM and IP Multicast, section 3.1.

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/comm.hpp"
#include "vm/message.hpp"
#include "vm/pack_buffer.hpp"
#include "vm/request_carrier.hpp"
#include "vm/routes/candidate.hpp"
#include "vm/status.hpp"

namespace nasvm {

namespace multicast {
struct Surroundings;
}

/// Wild tid: a message from any task.
inline constexpr Tid any_task{};

class Task {
 public:
  /// Is this process to be a task: has a daemon started it, whose socket is there? What a task starts does not
  /// inherit that, and may be a console of its own.
  static bool in_environment();
  /// Has a daemon started this process, or one that it descends from?
  static bool descends_from_daemon();
  /// What this process's daemon has to tell it first, before it joins; whoever reads that does not take it away, so
  /// that a program which this one becomes or starts can join. Blocks until it is there. Throws RunError, UsageError.
  struct Invitation {
    int rank = 0;
    int size = 1;
    int rank_here = 0;  ///< among the tasks on this computer
    int size_here = 1;  ///< how many those are
    std::string setup;  ///< as setup()
    int socket = -1;    ///< to the daemon: what joins must have it
  };
  static Invitation invitation();

  /// Joins the machine. Blocks until all tasks of the program have joined. UsageError: this process has or had one.
  Task();
  /// Without `finish` before, the machine takes it for a failure.
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  [[nodiscard]] Tid tid() const;
  /// The task that has spawned this one, or Tid::console().
  [[nodiscard]] Tid parent() const;
  /// All tasks of this task's world, this one included, in rank order: those of the program, or of one call of spawn.
  [[nodiscard]] std::span<const Tid> siblings() const;
  [[nodiscard]] const std::string& host(Rank rank) const;
  /// Does the program have more runnable threads on this computer than there are cores?
  [[nodiscard]] bool shares_cores() const;
  using Candidate = RouteCandidate;
  /// The transports for Comm's messages to a peer, in order of preference: the first without a reason against it
  /// carries them (Comm::method). For those behind it, too, the reason is what the transport says.
  [[nodiscard]] std::vector<Candidate> candidates(Rank peer) const;
  /// What the console said to all tasks of the program (see Machine::Program::setup).
  [[nodiscard]] const std::string& setup() const;

  /// The world: all siblings.
  [[nodiscard]] Comm& comm();
  /// For remote service requests (vm/service/), whose one service it carries.
  [[nodiscard]] RequestCarrier& request_carrier();
  /// For groups that this task is a member of (vm/broadcast/), none of which outlives it.
  [[nodiscard]] multicast::Surroundings surroundings();
  /// What that Comm stands on; for libraries whose Comms wait in their own way (vm/abi/).
  [[nodiscard]] Endpoint& endpoint();

  /// A packed message, routed by the daemons. Returns at once, like pvm_send: what cannot leave yet is copied. Blocks
  /// only when more than `daemon:buffer=` bytes (default 64M) would have to be kept; when tasks block each other so,
  /// the run ends with an error that names them. `message` may be used again afterwards. Tags are 0 or more
  /// (std::invalid_argument).
  void send(Tid to, Tag tag, const PackBuffer& message);
  struct Received {
    PackBuffer message;
    Tid source;
    Tag tag = any_tag;
  };
  /// The next packed message from `from` (or any_task) with `tag` (or any_tag). Blocks. Throws RunError when `from`
  /// is known to have been killed, and has sent none. Waits for ever for one that has left in good order, as what it
  /// sent may come after the news of that, and for a tid that no task ever has: that could still be spawned.
  Received recv(Tid from = any_task, Tag tag = any_tag);
  /// The same without waiting for one to be sent: nothing when there is none yet (pvm_nrecv).
  std::optional<Received> nrecv(Tid from = any_task, Tag tag = any_tag);
  /// The same, waiting no longer than `patience` (pvm_trecv).
  std::optional<Received> trecv(std::chrono::nanoseconds patience, Tid from = any_task, Tag tag = any_tag);
  struct Pending {
    Tid source;
    Tag tag = any_tag;
    std::size_t bytes = 0;
  };
  /// Which message recv would take, without taking it (pvm_probe). Does not wait.
  std::optional<Pending> probe(Tid from = any_task, Tag tag = any_tag);
  /// One packed message to several tasks: it leaves this task once, and the daemons fan it out, one copy for each
  /// host (one-to-n). Each receiver gets it once, however often it is named; this task is left out. Blocks
  /// until all receivers have room for it or have asked for it.
  void mcast(std::span<const Tid> to, Tag tag, const PackBuffer& message);

  /// An unpacked message over the direct connection: no copy but the system's; through the daemons where the orders
  /// of the two tasks do not name direct. Blocks until `data` may be used again.
  template <Buffer B>
  void fsend(Tid to, Tag tag, const B& data) {
    fsend_bytes(to, tag, std::as_bytes(std::span(std::ranges::data(data), std::ranges::size(data))),
                element_bytes_in<B>);
  }
  /// Receives what fsend sent, straight into `data`; longer messages than that are a RunError.
  template <Buffer B>
  Status frecv(Tid from, Tag tag, B&& data) {
    return frecv_bytes(from, tag, std::as_writable_bytes(std::span(std::ranges::data(data), std::ranges::size(data))),
                       element_bytes_in<B>);
  }

  // Tasks that come and go (docs/decisions/spawned-tasks.md). These calls ask the console and block until it has
  // answered. Packed messages go between all tasks of the run, whatever their worlds.

  struct SpawnOrder {
    std::string program{};                 ///< path, or a name beside each host's daemon; empty: this program
    std::vector<std::string> arguments{};  ///< of each; of this program's own without a `program`
    std::string setup{};                   ///< what Task::setup() returns there
    int count = 1;
    std::string host{};           ///< all on that host; empty: where the fewest tasks are for the slots
    std::optional<Tag> notify{};  ///< as `notify` for each, before it can end
  };
  /// Starts tasks that have a world of their own, and this one as their parent. Blocks until they have joined; those
  /// that ended before are among them. Throws UsageError for a host that is not there, or more than 4096 tasks or
  /// max_slots, RunError when one cannot be started or they do not join within 120 s: the others are ended then.
  std::vector<Tid> spawn(const SpawnOrder& order);
  /// Ends a task of this run at once (SIGKILL). Nothing when it has ended already. The run goes on; siblings of the
  /// task cannot `finish` any more (RunError), but `depart`.
  void kill(Tid task);

  /// Asks for a packed message with `tag`, from this task to itself, when a task ends, however it ends; at once for
  /// one that has ended. Its death is no end of the run any more. To be read with `read_notice`. Messages that it
  /// sent before may come later than that, if it left in good order.
  void notify(Tag tag, std::span<const Tid> tasks);
  /// The same for each host that is lost from now on. That is no end of the run when others have asked to be told of
  /// all its tasks.
  void notify_hosts(Tag tag);
  /// A message about an exit.
  struct Notice {
    Tid gone;            ///< a task, or the daemon of a host
    bool clean = false;  ///< a task: it left in good order
    std::string text;    ///< for people: "was killed by signal 9 (Killed)"
  };
  static Notice read_notice(Received message);

  /// From now on so many cheap looks (at memory) for each look at everything, while this task waits; 0: as many as
  /// have proven good. As the parameter skip_poll of transports has it.
  void set_skip_poll(unsigned looks);

  // Named groups of the run's tasks. Who ends has left.

  /// Joins, and returns the number of this task in it: the least that is free, from 0.
  int join(std::string_view group);
  void leave(std::string_view group);
  /// The members, by their numbers; none when there is no such group.
  std::vector<Tid> members(std::string_view group);
  /// Blocks until `count` members have called it, this one included. Throws RunError when they cannot any more,
  /// because one has ended or left.
  void barrier(std::string_view group, int count);
  /// A packed message to all members but this task, which need not be one.
  void broadcast(std::string_view group, Tag tag, const PackBuffer& message);

  /// Gives a result to the console; any length, once or several times.
  void report(std::string_view text);
  /// Leaves in good order, together with all siblings. Collective. In a world that was spawned it blocks until what
  /// was sent to tasks of others has been received, or they have ended. Nothing after `depart`. Throws RunError when
  /// a sibling has left alone, or was killed. No message is sent or received afterwards, and nothing is reported
  /// (std::logic_error).
  void finish();
  /// Leaves in good order, alone: for tasks whose siblings need not be there any more. Blocks until what it has sent
  /// has been received, or its receivers have ended. Afterwards as after `finish`.
  void depart();
  /// Leaves because of an error, which the console will show, in one line. Does not throw. Messages under way are
  /// given up: their buffers may be gone. The last call before the destructor. Exit::ok is no error: broken.
  void fail(Exit exit_status, std::string_view text) noexcept;

 private:
  void fsend_bytes(Tid to, Tag tag, std::span<const std::byte> data, std::uint8_t element_bytes);
  Status frecv_bytes(Tid from, Tag tag, std::span<std::byte> data, std::uint8_t element_bytes);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The main function of a task: joins, runs `body`, leaves; errors go to the console, or to standard error where
/// there is no way to it. Returns the exit status.
int run_task(void (*body)(Task&));

}  // namespace nasvm
