#pragma once
/// \file
/// What the keeper of a machine and its clients say to each other: one struct for each message, described as those of
/// vm/protocol/messages.hpp are. docs/keeper-protocol.md lists them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vm/protocol/messages.hpp"

namespace nasvm::keeper {

// --- parts of messages ------------------------------------------------------------------------------------------

/// A host as the user has named it (HostSpec).
struct HostEntry {
  std::string name;
  std::string address;
  int slots = 1;
  int max_slots = 0;
  std::string source;

  static void fields(auto& self, auto& field) {
    field("name", self.name, "as the user wrote it");
    field("address", self.address, "that it resolves to; empty: unknown here");
    field("slots", self.slots, "tasks that it takes before the next host's turn comes");
    field("max_slots", self.max_slots, "tasks that it takes at all; 0: no bound");
    field("source", self.source, "where it is written, for errors");
  }
  bool operator==(const HostEntry&) const = default;
};

struct HostState {
  HostEntry host;
  protocol::Hello facts;
  std::string lost;

  static void fields(auto& self, auto& field) {
    field("host", self.host, "as the user has named it");
    field("facts", self.facts, "what its daemon has said, as in its hello");
    field("lost", self.lost, "why it takes no tasks any more; empty: it does");
  }
  bool operator==(const HostState&) const = default;
};

/// What somebody wants of the machine, for people.
struct Job {
  std::string what;
  long client = 0;
  std::int64_t since_s = 0;

  static void fields(auto& self, auto& field) {
    field("what", self.what, "the client's command line");
    field("client", self.client, "its process id");
    field("since_s", self.since_s, "seconds since 1970 when it has begun, or has asked");
  }
  bool operator==(const Job&) const = default;
};

struct TaskState {
  Tid tid;
  int rank = 0;
  std::string host;
  long pid = 0;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "task identifier");
    field("rank", self.rank, "in the program");
    field("host", self.host, "name of its host");
    field("pid", self.pid, "its process id there; 0: not known yet");
  }
  bool operator==(const TaskState&) const = default;
};

// --- client -> keeper -------------------------------------------------------------------------------------------

struct Greeting {
  static constexpr std::string_view type = "greeting", route = "client → keeper",
                                    meaning = "the first message; answered by state, or by failed";
  std::string version;
  long pid = 0;
  std::string what;

  static void fields(auto& self, auto& field) {
    field("version", self.version, "of the client");
    field("pid", self.pid, "its process id");
    field("what", self.what, "its command line, for people");
  }
  bool operator==(const Greeting&) const = default;
};

struct Run {
  static constexpr std::string_view type = "run", route = "client → keeper",
                                    meaning = "run a program; answered by waiting, started, reports, done or failed";
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  int size = 1;
  int hosts = 0;
  std::vector<HostEntry> on;
  int threads = 1;
  protocol::Setup setup;
  std::int64_t timeout_ms = 0;

  static void fields(auto& self, auto& field) {
    field("program", self.program, "path of the executable; a name without a slash: beside each host's daemon");
    field("arguments", self.arguments, "of every task");
    field("environment", self.environment, "NAME=value, for tasks whose host does not set NAME itself");
    field("size", self.size, "number of tasks");
    field("hosts", self.hosts, "the first so many share them equally; 0: all, by slots");
    field("on", self.on, "hosts of the machine, with slots of its own; none: all");
    field("threads", self.threads, "that compute in each task");
    field("setup", self.setup, "for every task");
    field("timeout_ms", self.timeout_ms, "time that it may take once it has begun; 0: no bound");
  }
  bool operator==(const Run&) const = default;
};

struct Add {
  static constexpr std::string_view type = "add", route = "client → keeper",
                                    meaning = "start daemons on more hosts; answered by waiting, done or failed";
  std::vector<HostEntry> hosts;

  static void fields(auto& self, auto& field) { field("hosts", self.hosts, "the new ones"); }
  bool operator==(const Add&) const = default;
};

struct Remove {
  static constexpr std::string_view type = "remove", route = "client → keeper",
                                    meaning = "end the daemons of hosts; answered by waiting, done or failed";
  std::vector<std::string> hosts;

  static void fields(auto& self, auto& field) { field("hosts", self.hosts, "their names"); }
  bool operator==(const Remove&) const = default;
};

struct Status {
  static constexpr std::string_view type = "status", route = "client → keeper", meaning = "answered by state at once";
  static void fields(auto&, auto&) {}
  bool operator==(const Status&) const = default;
};

struct Stop {
  static constexpr std::string_view type = "stop", route = "client → keeper",
                                    meaning = "end the machine and the keeper, whose end is the answer";
  static void fields(auto&, auto&) {}
  bool operator==(const Stop&) const = default;
};

// --- keeper -> client -------------------------------------------------------------------------------------------

struct State {
  static constexpr std::string_view type = "state", route = "keeper → client", meaning = "how the machine is";
  std::string name;
  std::string version;
  long pid = 0;
  std::int64_t since_s = 0;
  std::vector<HostState> hosts;
  std::vector<Job> jobs;
  std::vector<TaskState> tasks;

  static void fields(auto& self, auto& field) {
    field("name", self.name, "of the machine");
    field("version", self.version, "of the keeper");
    field("pid", self.pid, "its process id");
    field("since_s", self.since_s, "seconds since 1970 when the machine was started");
    field("hosts", self.hosts, "those that are a part of it, or have been lost");
    field("jobs", self.jobs, "what it does, first, and what waits");
    field("tasks", self.tasks, "of the program that is running");
  }
  bool operator==(const State&) const = default;
};

struct Waiting {
  static constexpr std::string_view type = "waiting", route = "keeper → client", meaning = "others come first";
  int before = 0;

  static void fields(auto& self, auto& field) { field("before", self.before, "how many"); }
  bool operator==(const Waiting&) const = default;
};

struct Started {
  static constexpr std::string_view type = "started", route = "keeper → client",
                                    meaning = "all tasks of the program have joined";
  std::vector<long> pids;

  static void fields(auto& self, auto& field) { field("pids", self.pids, "process ids of its tasks"); }
  bool operator==(const Started&) const = default;
};

struct Done {
  static constexpr std::string_view type = "done", route = "keeper → client",
                                    meaning = "what was asked for has been done";
  static void fields(auto&, auto&) {}
  bool operator==(const Done&) const = default;
};

struct Failed {
  static constexpr std::string_view type = "failed", route = "keeper → client",
                                    meaning = "what was asked for has not been done";
  Exit exit = Exit::broken;
  std::string text;

  static void fields(auto& self, auto& field) {
    field("exit", self.exit, "exit status that the client should have");
    field("text", self.text, "the line for the user");
  }
  bool operator==(const Failed&) const = default;
};

/// Every message. A new one gets its place here.
using Message = std::variant<Greeting, Run, Add, Remove, Status, Stop, State, Waiting, Started, Done, Failed>;

/// What a keeper reads on its standard input: all that its machine is made of.
struct Order {
  static constexpr std::string_view type = "order", route = "nasvm vm start → keeper",
                                    meaning = "the line on a keeper's standard input";
  std::string name;
  std::vector<HostEntry> hosts;
  std::string launcher;
  std::string rsh;
  bool copy = false;
  std::string interface;

  static void fields(auto& self, auto& field) {
    field("name", self.name, "of the machine");
    field("hosts", self.hosts, "to begin with");
    field("launcher", self.launcher, "who starts the daemons");
    field("rsh", self.rsh, "remote shell: command and options; empty: the launcher's choice");
    field("copy", self.copy, "bring the programs to the hosts first");
    field("interface", self.interface, "that all talk over: a name, or a network; empty: by the addresses");
  }
  bool operator==(const Order&) const = default;
};

/// Handshake context of connections to a keeper (vm/protocol/protocol.hpp has the others).
inline constexpr std::uint32_t keeper_connection = 3;
/// What a keeper calls itself in the handshake, and as the source of packets.
inline constexpr Tid keeper_tid = Tid::console();

/// The JSON form, without line breaks.
std::string to_text(const Message& message);
std::string to_text(const Order& order);
/// Throws RunError, naming type and field, when it is not one of ours.
Message parse(std::span<const std::byte> text);
Order parse_order(std::string_view line);
/// The part of docs/keeper-protocol.md that lists the messages.
std::string documentation();

}  // namespace nasvm::keeper
