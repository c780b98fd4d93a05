#pragma once
/// \file
/// What console, daemons and tasks say to each other: one struct for each control message.
///
/// `fields` describes a struct once: name, value and meaning of each field. The JSON form, its reader (protocol.hpp)
/// and docs/protocol.md come from that. A new message: its struct here, its place in `Message`, and a handler where
/// it arrives.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vm/message.hpp"
#include "vm/protocol/member.hpp"
#include "vm/status.hpp"

namespace nasvm::protocol {

// --- parts of messages ------------------------------------------------------------------------------------------

struct HostEntry {
  int host = 0;
  std::string name;
  std::string address;
  std::uint16_t udp_port = 0;

  static void fields(auto& self, auto& field) {
    field("host", self.host, "index of the host, from 1");
    field("name", self.name, "as in the hostfile");
    field("address", self.address, "of the daemon");
    field("udp_port", self.udp_port, "where its daemon hears other daemons");
  }
  bool operator==(const HostEntry&) const = default;
};

struct TaskEntry {
  Tid tid;
  int rank = 0;
  int rank_here = 0;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "task identifier");
    field("rank", self.rank, "in the program");
    field("rank_here", self.rank_here, "among the program's tasks on that computer");
  }
  bool operator==(const TaskEntry&) const = default;
};

struct PairOrder {
  int first = 0;
  int second = 0;
  std::string transport;

  static void fields(auto& self, auto& field) {
    field("first", self.first, "rank");
    field("second", self.second, "rank");
    field("transport", self.transport, "order of preference between the two");
  }
  bool operator==(const PairOrder&) const = default;
};

/// The same for every task of a program.
struct Setup {
  std::string program;
  std::string transport;
  std::vector<PairOrder> pairs;
  bool bind = true;
  std::string multicast{};

  static void fields(auto& self, auto& field) {
    field("program", self.program, "what Task::setup() returns");
    field("transport", self.transport, "order of preference of Comm's messages");
    field("pairs", self.pairs, "pairs of ranks with an order of their own");
    field("bind", self.bind, "each task to cores of its own, where there are enough");
    field("multicast", self.multicast, "protocol of broadcasts between hosts; empty: messages of pairs");
  }
  bool operator==(const Setup&) const = default;
};

/// What shares the computer that a host is on (several hosts may be one computer). Decides how tasks wait.
struct Load {
  int tasks = 0;
  int threads = 0;
  int daemons = 0;

  static void fields(auto& self, auto& field) {
    field("tasks", self.tasks, "tasks of the program on that computer");
    field("threads", self.threads, "threads of those tasks that compute");
    field("daemons", self.daemons, "daemons on that computer");
  }
  bool operator==(const Load&) const = default;
};

/// Grants between the sender of the message and another task: a receiver asks for a message by one.
struct GrantCount {
  Tid tid;
  std::uint64_t grants = 0;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "the other task");
    field("grants", self.grants, "for packed messages, so far");
  }
  bool operator==(const GrantCount&) const = default;
};

// --- console -> daemon ------------------------------------------------------------------------------------------

struct Hosts {
  static constexpr std::string_view type = "hosts", route = "console → daemon",
                                    meaning = "all daemons are up: where each one listens; again when there are more";
  std::vector<HostEntry> hosts;
  std::string group{};

  static void fields(auto& self, auto& field) {
    field("hosts", self.hosts, "all hosts of the machine");
    field("group", self.group, "the machine's multicast group, for programs that want one");
  }
  bool operator==(const Hosts&) const = default;
};

struct Spawn {
  static constexpr std::string_view type = "spawn", route = "console → daemon",
                                    meaning = "start these tasks of a program";
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  int size = 0;
  int size_here = 0;
  Setup setup;
  Load load;
  Tid parent;
  std::vector<TaskEntry> tasks;

  static void fields(auto& self, auto& field) {
    field("program", self.program, "path of the executable; a name without a slash: beside the daemon's");
    field("arguments", self.arguments, "of every task");
    field("environment", self.environment, "NAME=value, for tasks whose host does not set NAME itself");
    field("size", self.size, "number of tasks of the program");
    field("size_here", self.size_here, "of those, on the daemon's computer");
    field("setup", self.setup, "for every task");
    field("load", self.load, "of the daemon's computer");
    field("parent", self.parent, "the task that has spawned them, or the console");
    field("tasks", self.tasks, "those on the daemon's host");
  }
  bool operator==(const Spawn&) const = default;
};

struct Start {
  static constexpr std::string_view type = "start", route = "console → daemon → task",
                                    meaning = "all tasks of a world are ready: they begin";
  std::vector<Member> members;

  static void fields(auto& self, auto& field) { field("members", self.members, "all tasks, by rank"); }
  bool operator==(const Start&) const = default;
};

struct Kill {
  static constexpr std::string_view type = "kill", route = "console → daemon",
                                    meaning = "end all tasks at once; answered by killed";
  static void fields(auto&, auto&) {}
  bool operator==(const Kill&) const = default;
};

struct End {
  static constexpr std::string_view type = "end", route = "console → daemon",
                                    meaning = "end one task; answered by exited, if it was there";
  Tid task;

  static void fields(auto& self, auto& field) { field("task", self.task, "which"); }
  bool operator==(const End&) const = default;
};

struct Where {
  static constexpr std::string_view type = "where", route = "console → daemon → task",
                                    meaning = "time is up: what does each task wait for? Answered by waits";
  static void fields(auto&, auto&) {}
  bool operator==(const Where&) const = default;
};

struct Ping {
  static constexpr std::string_view type = "ping", route = "console → daemon",
                                    meaning = "asks for a sign of life; answered by pong";
  static void fields(auto&, auto&) {}
  bool operator==(const Ping&) const = default;
};

struct Forget {
  static constexpr std::string_view type = "forget", route = "console → daemon",
                                    meaning = "that host is no part of the machine any more";
  int host = 0;

  static void fields(auto& self, auto& field) { field("host", self.host, "index of the other host"); }
  bool operator==(const Forget&) const = default;
};

struct Halt {
  static constexpr std::string_view type = "halt", route = "console → daemon",
                                    meaning = "end all tasks and the daemon";
  static void fields(auto&, auto&) {}
  bool operator==(const Halt&) const = default;
};

// --- daemon -> console ------------------------------------------------------------------------------------------

struct CacheEntry {
  int level = 0;
  std::uint64_t bytes = 0;
  int shared_by = 0;

  static void fields(auto& self, auto& field) {
    field("level", self.level, "1, 2, 3");
    field("bytes", self.bytes, "its size");
    field("shared_by", self.shared_by, "hardware threads that use it together");
  }
  bool operator==(const CacheEntry&) const = default;
};

struct Hello {
  static constexpr std::string_view type = "hello", route = "daemon → console",
                                    meaning = "the daemon is up: what its host is";
  int host = 0;
  std::string name;
  long pid = 0;
  std::string version;
  std::string address;
  std::uint16_t udp_port = 0;
  std::string computer;
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::vector<CacheEntry> caches;
  std::string huge_pages;
  std::string governor;
  std::string hypervisor;
  std::string copy_rates;

  static void fields(auto& self, auto& field) {
    field("host", self.host, "index of the host, from 1");
    field("name", self.name, "as the host names itself");
    field("pid", self.pid, "process id of the daemon");
    field("version", self.version, "of nasvmd");
    field("address", self.address, "that it is bound to");
    field("udp_port", self.udp_port, "where it hears other daemons");
    field("computer", self.computer, "equal for hosts that are one computer");
    field("cpu", self.cpu, "processor model; empty: unknown");
    field("cores", self.cores, "that the daemon may use; 0: unknown");
    field("memory_bytes", self.memory_bytes, "of the computer");
    field("kernel", self.kernel, "release of the operating system");
    field("caches", self.caches, "data caches of its first core");
    field("huge_pages", self.huge_pages, "mode of transparent huge pages; empty: unknown");
    field("governor", self.governor, "of the clock frequency; empty: unknown");
    field("hypervisor", self.hypervisor, "below the system, or none; empty: unknown");
    field("copy_rates", self.copy_rates, "what its tasks find as NASVM_COPY_RATES; empty: not measured");
  }
  bool operator==(const Hello&) const = default;
};

struct Ready {
  static constexpr std::string_view type = "ready", route = "task → daemon → console",
                                    meaning = "the task has made its transports";
  Tid tid;
  long pid = 0;
  DescriptorTable descriptors;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "the task");
    field("pid", self.pid, "its process id; set by its daemon");
    field("descriptors", self.descriptors, "what each transport needs to reach it, by name of the transport");
  }
  bool operator==(const Ready&) const = default;
};

/// A task waits in a send until one of others receives. Grants tell whether the answer may be on its way: a receiver
/// grants what has been announced, and who waits has heard of all grants but those.
struct Blocked {
  static constexpr std::string_view type = "blocked", route = "task → daemon → console",
                                    meaning = "the task waits in send until one of the awaited receives";
  Tid tid;
  long pid = 0;
  std::vector<GrantCount> awaited;
  std::vector<GrantCount> given;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "the task");
    field("pid", self.pid, "its process id; set by its daemon");
    field("awaited", self.awaited, "tasks that may end its waiting, and the grants heard of each");
    field("given", self.given, "tasks that it has given grants to");
  }
  bool operator==(const Blocked&) const = default;
};

struct Waits {
  static constexpr std::string_view type = "waits", route = "task → daemon → console",
                                    meaning = "what the task waits for";
  Tid tid;
  long pid = 0;
  std::string text;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "the task");
    field("pid", self.pid, "its process id; set by its daemon");
    field("text", self.text, "for people: waits for a message from rank 1 with tag 6");
  }
  bool operator==(const Waits&) const = default;
};

struct Failed {
  static constexpr std::string_view type = "failed", route = "task → daemon → console",
                                    meaning = "a task, or a daemon itself, says why it gives up";
  Tid tid;
  long pid = 0;
  Exit exit = Exit::broken;
  std::string text;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "the task or daemon");
    field("pid", self.pid, "process id of the task, set by its daemon; else 0");
    field("exit", self.exit, "exit status that the run should have");
    field("text", self.text, "the line for the user");
  }
  bool operator==(const Failed&) const = default;
};

struct Exited {
  static constexpr std::string_view type = "exited", route = "daemon → console",
                                    meaning = "a task's process has ended, and all it sent has been read";
  Tid tid;
  long pid = 0;
  bool clean = false;
  bool signal = false;
  std::string text;
  bool alone = false;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "the task");
    field("pid", self.pid, "its process id");
    field("clean", self.clean, "it has said done before, and ended with status 0");
    field("signal", self.signal, "a signal has killed it");
    field("text", self.text, "how it has ended");
    field("alone", self.alone, "it has said that its siblings stay");
  }
  bool operator==(const Exited&) const = default;
};

struct NotStarted {
  static constexpr std::string_view type = "not_started", route = "daemon → console",
                                    meaning = "a task of a spawn cannot be started";
  Tid tid;
  Exit exit = Exit::broken;
  std::string text;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "the task that there would have been");
    field("exit", self.exit, "exit status that belongs to it");
    field("text", self.text, "why, for the user");
  }
  bool operator==(const NotStarted&) const = default;
};

struct Killed {
  static constexpr std::string_view type = "killed", route = "daemon → console",
                                    meaning = "no task is left after a kill";
  static void fields(auto&, auto&) {}
  bool operator==(const Killed&) const = default;
};

struct Lost {
  static constexpr std::string_view type = "lost", route = "daemon → console",
                                    meaning = "another daemon is out of reach";
  int host = 0;
  std::string text;

  static void fields(auto& self, auto& field) {
    field("host", self.host, "index of the other daemon's host");
    field("text", self.text, "the line for the user");
  }
  bool operator==(const Lost&) const = default;
};

struct Pong {
  static constexpr std::string_view type = "pong", route = "daemon → console", meaning = "sign of life";
  static void fields(auto&, auto&) {}
  bool operator==(const Pong&) const = default;
};

// --- daemon <-> task, daemon -> daemon --------------------------------------------------------------------------

struct Welcome {
  static constexpr std::string_view type = "welcome", route = "daemon → task",
                                    meaning = "the first message a task gets: who it is";
  std::string version;
  Tid tid;
  int rank = 0;
  int size = 0;
  int rank_here = 0;
  int size_here = 0;
  std::string address;
  std::string secret;
  Setup setup;
  Load load;
  Tid parent;

  static void fields(auto& self, auto& field) {
    field("version", self.version, "of nasvmd");
    field("tid", self.tid, "task identifier");
    field("rank", self.rank, "in the program");
    field("size", self.size, "number of tasks of the program");
    field("rank_here", self.rank_here, "among the program's tasks on its computer");
    field("size_here", self.size_here, "number of those");
    field("address", self.address, "address to bind to");
    field("secret", self.secret, "of the machine, 64 hexadecimal digits");
    field("setup", self.setup, "as in spawn");
    field("load", self.load, "as in spawn");
    field("parent", self.parent, "as in spawn");
  }
  bool operator==(const Welcome&) const = default;
};

struct Done {
  static constexpr std::string_view type = "done", route = "task → daemon",
                                    meaning = "the task is about to leave in good order";
  bool alone = false;

  static void fields(auto& self, auto& field) { field("alone", self.alone, "its siblings stay"); }
  bool operator==(const Done&) const = default;
};

struct Group {
  static constexpr std::string_view type = "group", route = "task → daemon → daemon",
                                    meaning = "who is reached under a multicast address, in place of those before";
  Tid group;
  std::vector<Tid> tids;
  bool share = false;

  static void fields(auto& self, auto& field) {
    field("group", self.group, "multicast address");
    field("tids", self.tids, "members; between daemons those on the receiver's host");
    field("share", self.share, "packets leave once for several hosts, where IP multicast reaches them");
  }
  bool operator==(const Group&) const = default;
};

// --- what tasks ask of the console (docs/decisions/spawned-tasks.md) ---------------------------------------------

struct SpawnOrder {
  static constexpr std::string_view type = "spawn_order", route = "task → daemon → console",
                                    meaning = "start tasks with a world of their own; answered by answer";
  Tid tid;
  long pid = 0;
  std::string program;
  std::vector<std::string> arguments;
  std::string setup;
  int count = 0;
  std::string host;
  bool watched = false;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "who asks");
    field("pid", self.pid, "its process id; set by its daemon");
    field("program", self.program, "as in spawn; empty: that of the run");
    field("arguments", self.arguments, "as in spawn");
    field("setup", self.setup, "what Task::setup() returns there");
    field("count", self.count, "how many");
    field("host", self.host, "name of the host that all are started on; empty: the console chooses");
    field("watched", self.watched, "who asks wants to be told of their ends");
  }
  bool operator==(const SpawnOrder&) const = default;
};

struct KillOrder {
  static constexpr std::string_view type = "kill_order", route = "task → daemon → console",
                                    meaning = "end a task of the run; answered by answer";
  Tid tid;
  long pid = 0;
  Tid target;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "who asks");
    field("pid", self.pid, "its process id; set by its daemon");
    field("target", self.target, "the task to be ended");
  }
  bool operator==(const KillOrder&) const = default;
};

struct Watch {
  static constexpr std::string_view type = "watch", route = "task → daemon → console",
                                    meaning = "tell me when these end; answered by answer, and gone for each";
  Tid tid;
  long pid = 0;
  std::vector<Tid> targets;
  bool hosts = false;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "who asks");
    field("pid", self.pid, "its process id; set by its daemon");
    field("targets", self.targets, "tasks");
    field("hosts", self.hosts, "also when a host is lost");
  }
  bool operator==(const Watch&) const = default;
};

struct GroupCall {
  static constexpr std::string_view type = "group_call", route = "task → daemon → console",
                                    meaning =
                                        "about a named group; answered by answer, of a barrier when all are there";
  Tid tid;
  long pid = 0;
  std::string call;
  std::string group;
  int count = 0;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "who asks");
    field("pid", self.pid, "its process id; set by its daemon");
    field("call", self.call, "join, leave, members, barrier");
    field("group", self.group, "its name");
    field("count", self.count, "barrier: how many members are waited for");
  }
  bool operator==(const GroupCall&) const = default;
};

struct Answer {
  static constexpr std::string_view type = "answer", route = "console → daemon → task",
                                    meaning = "what a task has asked for is done, or cannot be";
  Tid task;
  std::vector<Tid> tids;
  int number = 0;
  std::string error;
  Exit exit = Exit::ok;

  static void fields(auto& self, auto& field) {
    field("task", self.task, "who has asked");
    field("tids", self.tids, "tasks that were started, or members of the group");
    field("number", self.number, "the task's in the group it has joined");
    field("error", self.error, "why it cannot be done; empty: it is done");
    field("exit", self.exit, "exit status that belongs to the error");
  }
  bool operator==(const Answer&) const = default;
};

struct Gone {
  static constexpr std::string_view type = "gone", route = "console → daemon → task",
                                    meaning = "a task has ended, or a host is lost";
  Tid task;
  Tid gone;
  bool clean = false;
  bool asked = false;
  std::string text;
  bool alone = false;

  static void fields(auto& self, auto& field) {
    field("task", self.task, "who is told");
    field("gone", self.gone, "the task, or the host's daemon");
    field("clean", self.clean, "the task left in good order");
    field("asked", self.asked, "who is told has asked for it");
    field("text", self.text, "how it ended, for people");
    field("alone", self.alone, "its siblings stay");
  }
  bool operator==(const Gone&) const = default;
};

/// Every control message. A new one gets its place here.
using Message = std::variant<Hosts, Spawn, Start, Kill, End, Where, Ping, Forget, Halt, Hello, Ready, Blocked, Waits,
                             Failed, Exited, NotStarted, Killed, Lost, Pong, Welcome, Done, Group, SpawnOrder,
                             KillOrder, Watch, GroupCall, Answer, Gone>;

/// A host, as its daemon is told of it before anything else.
struct HostName {
  int host = 0;
  std::string name;
  std::string address;

  static void fields(auto& self, auto& field) {
    field("host", self.host, "index of the host, from 1");
    field("name", self.name, "of the host, as in the hostfile");
    field("address", self.address, "address to bind to, if the host has it; empty: the host knows");
  }
  bool operator==(const HostName&) const = default;
};

/// What a daemon reads on its standard input when it is started: one line, not a packet.
struct Bootstrap {
  static constexpr std::string_view type = "bootstrap", route = "console → daemon",
                                    meaning = "the line on a daemon's standard input";
  std::string version;
  std::string console;
  std::string secret;
  std::string interface;
  std::string rank_variable;
  std::vector<HostName> hosts;

  static void fields(auto& self, auto& field) {
    field("version", self.version, "of the console");
    field("console", self.console, "address and port of the console");
    field("secret", self.secret, "of the machine, 64 hexadecimal digits");
    field("interface", self.interface, "name or network of the interface to bind to; empty: by address");
    field("rank_variable", self.rank_variable, "of the environment: the rank among processes started together");
    field("hosts", self.hosts, "the daemon's host; several: that of its address or name, else of its rank");
  }
  bool operator==(const Bootstrap&) const = default;
};

}  // namespace nasvm::protocol
