#include "support/task_bodies.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "support/common_bodies.hpp"
#include "support/deadline.hpp"
#include "support/farm_bodies.hpp"
#include "support/files_bodies.hpp"
#include "support/process.hpp"
#include "support/service_bodies.hpp"
#include "support/spawn_bodies.hpp"
#include "vm/process/pipe.hpp"
#include "vm/process/programs.hpp"

namespace nasvm::test {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

/// Rank 0 waits for what nobody sends, rank 1 has returned, and rank 2 computes.
void wait_for_another_tag(Task& task) {
  std::array<int, 1> data{};
  if (task.comm().rank() == 0) task.comm().recv(data, 1, 6);
  if (task.comm().rank() == 1) task.comm().send(data, 0, 5);
  if (task.comm().rank() == 2) bodies::compute_forever(task);
}

void report_rank(Task& task) { task.report("rank " + std::to_string(task.comm().rank())); }

/// Packed messages through the daemons, both wild and chosen.
void packed_messages(Task& task) {
  const auto siblings = task.siblings();
  const int rank = task.comm().rank();
  const Tid next = siblings[static_cast<std::size_t>((rank + 1) % task.comm().size())];
  PackBuffer out;
  out.pack_value(rank).pack(std::vector<double>(100000, rank + 0.25)).pack_text("from " + to_string(task.tid()));
  if (task.comm().size() == 1 || rank % 2 == 0) task.send(next, 7, out);
  auto [message, source, tag] = task.recv(any_task, 7);
  if (task.comm().size() != 1 && rank % 2 == 1) task.send(next, 7, out);
  const int sender = message.unpack_value<int>();
  require(siblings[static_cast<std::size_t>(sender)] == source && tag == 7, "who sent it");
  std::vector<double> values(message.next_count());
  message.unpack(values);
  require(values.size() == 100000 && values.back() == sender + 0.25, "values");
  require(message.unpack_text() == "from " + to_string(source), "text");
}

/// Every task sends to the next one before any of them receives.
void packed_ring(Task& task) {
  const auto siblings = task.siblings();
  const auto size = static_cast<std::size_t>(task.comm().size());
  const auto rank = static_cast<std::size_t>(task.comm().rank());
  PackBuffer out;
  out.pack(std::vector<std::uint8_t>(3'000'000, static_cast<std::uint8_t>(rank)));
  for (const Tag tag : {1, 2}) task.send(siblings[(rank + 1) % size], tag, out);
  for (const Tag tag : {1, 2}) {
    auto [message, source, found] = task.recv(siblings[(rank + size - 1) % size], tag);
    std::vector<std::uint8_t> values(message.next_count());
    message.unpack(values);
    require(values == std::vector<std::uint8_t>(3'000'000, static_cast<std::uint8_t>((rank + size - 1) % size)),
            "values");
  }
}

/// The same, after a long message of rank 0 that all have received.
void packed_ring_after_multicast(Task& task) {
  const auto siblings = task.siblings();
  if (task.comm().rank() == 0) {
    PackBuffer out;
    out.pack(std::vector<std::uint8_t>(3'000'000));
    task.mcast(std::span(siblings).subspan(1), 0, out);
  } else {
    (void)task.recv(siblings[0], 0);
  }
  packed_ring(task);
}

/// One message from rank 0 to all others, short and long, with itself and repetitions in the list.
void multicast(Task& task) {
  const auto siblings = task.siblings();
  std::vector<Tid> list(siblings.begin(), siblings.end());
  list.insert(list.end(), siblings.begin(), siblings.end());
  for (const std::size_t count : {std::size_t{1}, std::size_t{5000}, std::size_t{1000000}}) {
    if (task.comm().rank() == 0) {
      PackBuffer out;
      std::vector<int> values(count);
      std::iota(values.begin(), values.end(), 5);
      task.mcast(list, 3, out.pack(values));
      PackBuffer last;
      for (const Tid tid : siblings.subspan(1)) task.send(tid, 4, last);
    } else {
      auto received = task.recv(siblings[0], any_tag);
      require(received.tag == 3, "a multicast overtaken by a later send");
      std::vector<int> values(received.message.next_count());
      received.message.unpack(values);
      require(values.size() == count && values.front() == 5 && values.back() == 4 + static_cast<int>(count),
              "values");
      require(task.recv(siblings[0], any_tag).tag == 4, "one copy for each receiver");
    }
  }
}

void direct_messages(Task& task) {
  const auto siblings = task.siblings();
  const int rank = task.comm().rank();
  if (rank % 2 == 0 && rank + 1 < task.comm().size()) {
    task.fsend(siblings[static_cast<std::size_t>(rank) + 1], 1, std::vector<double>(300000, 1.5));
  } else if (rank % 2 == 1) {
    std::vector<double> in(300000);
    const Status status = task.frecv(siblings[static_cast<std::size_t>(rank) - 1], 1, in);
    require(status.bytes == 2400000 && in.back() == 1.5, "frecv");
  }
}

/// Rank 0 looks for packed messages that are not there, and for some that come.
void receive_without_waiting(Task& task) {
  using namespace std::chrono_literals;
  const Tid other = task.siblings()[1 - static_cast<std::size_t>(task.comm().rank())];
  PackBuffer go, message;
  message.pack(std::vector<double>(100000, 0.25));
  if (task.comm().rank() == 1) {
    require(task.recv(other, 1).source == other, "who asks");
    task.send(other, 2, message);
    task.send(other, 3, message);
    return;
  }
  require(!task.nrecv() && !task.probe(other) && !task.trecv(0ns) && !task.trecv(1ms, other, 2), "none yet");
  task.send(other, 1, go);
  auto in_time = task.trecv(std::chrono::nanoseconds::max(), any_task, 2);
  require(
      in_time.has_value() && in_time->source == other && in_time->tag == 2 && in_time->message.next_count() == 100000,
      "trecv");
  std::optional<Task::Pending> pending;
  while (!pending) pending = task.probe(any_task, any_tag);
  require(pending.has_value() && pending->source == other && pending->tag == 3 &&
              pending->bytes == message.bytes().size(),
          "probe");
  require(!task.nrecv(other, 4), "another tag");
  require(task.nrecv(other, 3).has_value() && !task.probe(), "nrecv");
}

/// Each leaves when its own messages have been received. That of rank 0 is long, and asked for late.
void depart_one_by_one(Task& task) {
  const auto siblings = task.siblings();
  PackBuffer message;
  message.pack(std::vector<double>(100000, 0.5));
  if (task.comm().rank() == 0) {
    for (const Tid tid : siblings.subspan(1)) task.send(tid, 1, message);
  } else {
    while (!task.probe(siblings[0], 1)) {
    }
    require(task.recv(siblings[0], 1).message.next_count() == 100000, "length");
  }
  task.depart();
}

/// "there is no task console;..."
void send_to_no_task(Task& task) {
  for (const Tid tid : {Tid::console(), Tid::daemon(1), Tid::group(1, 1), any_task}) {
    try {
      task.send(tid, 1, PackBuffer{});
    } catch (const RunError& error) {
      task.report(std::string(error.what()) + ";");
    }
  }
}

/// More than 32 bits can count. The sender's pages are all one page of zeros, but for the markers.
void beyond_4_gib(Task& task) {
  constexpr std::size_t bytes = (std::size_t{1} << 32) + 12345;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(memory != MAP_FAILED, "no address space");
  const std::span<std::uint8_t> data(static_cast<std::uint8_t*>(memory), bytes);
  const std::array<std::size_t, 4> markers{0, bytes / 2, std::size_t{1} << 32, bytes - 1};
  if (task.comm().rank() == 0) {
    for (const std::size_t at : markers) data[at] = static_cast<std::uint8_t>(at % 251 + 1);
    task.comm().send(data, 1);
  } else {
    const Status status = task.comm().recv(data, 0);
    require(status.bytes == bytes, "length");
    for (const std::size_t at : markers) require(data[at] == at % 251 + 1, "marker");
  }
  ::munmap(memory, bytes);
}

std::size_t peak_memory_kib(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6));
  }
  return 0;
}

/// Waits, without the message layer, until these processes sleep: several looks in a row, because who sleeps may be
/// about to be woken by another one.
void wait_until_idle(const std::vector<int>& pids) {
  constexpr int looks_in_a_row = 20;
  Deadline deadline;
  for (int asleep = 0; asleep < looks_in_a_row;) {
    asleep = std::ranges::all_of(pids, [](int pid) { return state_of(pid) == 'S'; }) ? asleep + 1 : 0;
    require(!deadline.passed(), "the daemon or its receiver never sleeps");
    ::usleep(1000);
  }
}

/// Rank 0 sends 4 GB that rank 1 does not receive yet, first short messages, then long ones.
void flood_a_sleeping_receiver(Task& task) {
  Comm& comm = task.comm();
  constexpr std::size_t short_bytes = 32 * 1024;
  constexpr std::size_t long_bytes = 16 * 1024 * 1024;
  constexpr std::size_t total = std::size_t{4} << 30;
  const std::vector<std::uint8_t> data(long_bytes, 1);
  std::vector<Request> requests;
  if (comm.rank() == 0) {
    comm.send(std::vector<int>{::getpid(), ::getppid()}, 1, 0);
    for (std::size_t i = 0; i < 4096; ++i) requests.push_back(comm.isend(std::span(data).first(short_bytes), 1, 1));
    for (std::size_t i = 0; i < total / long_bytes; ++i) requests.push_back(comm.isend(data, 1, 2));
    comm.wait_all(requests);
    return;
  }
  std::vector<int> senders(2);
  comm.recv(senders, 0, 0);
  // Deaf to messages until the sender has filled whatever it can fill, so that it and the daemons have nothing to do.
  wait_until_idle({senders[0], senders[1], ::getppid()});
  task.report(std::to_string(peak_memory_kib(std::to_string(::getppid()))));
  std::vector<std::uint8_t> in(long_bytes);
  for (std::size_t i = 0; i < 4096; ++i) comm.recv(in, 0, 1);
  for (std::size_t i = 0; i < 8; ++i) comm.recv(in, 0, 2);
  task.report(" " + std::to_string(peak_memory_kib(std::to_string(::getppid()))) + " " +
              std::to_string(peak_memory_kib("self")));
  for (std::size_t i = 8; i < total / long_bytes; ++i) comm.recv(in, 0, 2);
}

/// Rank 0 gives up in the middle of a message to rank 1, which takes none of it. The message's memory is gone.
void fail_without_its_buffer(Task& task) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  Comm& comm = task.comm();
  if (comm.rank() == 1) {
    (void)comm.probe(0, 1);
    std::vector<std::uint8_t> in(bytes);
    const Request request = comm.irecv(in, 0, 1);
    comm.send(std::vector<int>{1}, 0, 2);  // and before it, that rank 0 may send
    for (;;) ::pause();
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED, "no address space");
  const Request request = comm.isend(std::span(static_cast<const std::uint8_t*>(memory), bytes), 1, 1);
  comm.recv(std::vector<int>(1), 1, 2);
  wait_until_idle({::getppid()});
  ::munmap(memory, bytes);
  task.fail(Exit::broken, "it is over");
  ::_exit(static_cast<int>(Exit::broken));
}

// --- selection and parameters ------------------------------------------------------------------------------

/// "self shm direct": what carries this task's messages to each rank.
void report_methods(Task& task) {
  std::string text;
  for (Rank peer = 0; peer < task.comm().size(); ++peer) text += std::string(task.comm().method(peer)) + " ";
  task.report(text);
}

/// The order of preference to the next rank: "shm direct(reason) ".
void report_candidates(Task& task) {
  std::string text;
  for (const Task::Candidate& one : task.candidates((task.comm().rank() + 1) % task.comm().size())) {
    text += one.transport + (one.why_not.empty() ? "" : "(" + one.why_not + ")") + " ";
  }
  task.report(text);
}

/// What this task has open beside the standard streams: "7:/memfd:nasvm (deleted) 8:pipe:[4711] ".
void report_descriptors(Task& task) {
  std::string text;
  for (int fd = STDERR_FILENO + 1; fd < 1024; ++fd) {
    std::array<char, 256> target{};
    const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target.data(), target.size());
    if (length > 0)
      text += std::to_string(fd) + ":" + std::string(target.data(), static_cast<std::size_t>(length)) + " ";
  }
  task.report(text);
}

/// Rank 0 says whether a message of 1000 bytes leaves before its receive is posted.
void report_eager(Task& task) {
  Comm& comm = task.comm();
  comm.barrier();
  std::vector<std::byte> message(1000);
  if (comm.rank() == 1) {
    comm.recv(std::vector<int>(1), 0, 2);
    comm.recv(message, 0, 1);
    return;
  }
  Request request = comm.isend(message, 1, 1);
  bool sent = false;
  for (int i = 0; i < 1000 && !sent; ++i) sent = comm.test(request);
  task.report(sent ? "at once" : "asks first");
  comm.send(std::vector<int>{1}, 1, 2);
  comm.wait(request);
}

/// From several roots, to all tasks and to half of them, short and long.
void broadcasts(Task& task) {
  Comm& comm = task.comm();
  const auto half = comm.split(comm.rank() % 2, comm.rank());
  for (const int round : {1, 2}) {
    for (Comm* const among : {&comm, half.get()}) {
      for (const Rank root : {0, among->size() - 1}) {
        for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{400'000}}) {
          std::vector<int> expected(length);
          std::iota(expected.begin(), expected.end(), round + root);
          std::vector<int> data = among->rank() == root ? expected : std::vector<int>(length);
          among->broadcast(data, root);
          require(data == expected, "what was broadcast");
        }
      }
    }
  }
}

/// Broadcasts from rank 0, which ends when the others are gone.
void broadcasts_last(Task& task) {
  Comm& comm = task.comm();
  const auto part = comm.split(0, comm.rank());  // goes when the others are gone
  int data = 7;
  comm.broadcast(std::span(&data, 1), 0);
  part->broadcast(std::span(&data, 1), 0);
  std::vector<pid_t> pids(static_cast<std::size_t>(comm.size()));
  const pid_t own = ::getpid();
  comm.allgather(std::span(&own, 1), std::span(pids));
  task.finish();
  if (comm.rank() != 0) return;
  for (const pid_t pid : std::span(pids).subspan(1)) {
    require(eventually([pid] { return ::kill(pid, 0) != 0; }), "the others end");
  }
}

/// More than pipes and buffers on the way hold, to standard error.
void write_much(Task&) {
  const std::string line(1000, 'x');
  for (int i = 0; i < 4000; ++i) {
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) throw RunError("nobody takes what is written");
  }
}

/// With a process of its own beside it, which nobody ends but who looks after it.
void start_a_process_and_wait(Task& task) {
  if (::fork() == 0) {
    ::alarm(3600);
    for (;;) ::pause();
  }
  bodies::wait_forever(task);
}

/// A process that waits, and whose parent, a child of ours, has ended.
pid_t make_orphan() {
  process::Pipe pipe;
  const pid_t middle = ::fork();
  if (middle == 0) {
    const pid_t orphan = ::fork();
    if (orphan == 0) {
      ::alarm(3600);
      for (;;) ::pause();
    }
    (void)!::write(pipe.write.get(), &orphan, sizeof orphan);
    ::_exit(0);
  }
  pid_t orphan = -1;
  require(::read(pipe.read.get(), &orphan, sizeof orphan) == sizeof orphan, "an orphan");
  ::waitpid(middle, nullptr, 0);
  return orphan;
}

/// Three tasks of one host: rank 0 ends first, and a process that rank 1 has started in the background goes on.
void keep_a_process_beside(Task& task) {
  const auto siblings = task.siblings();
  const int rank = task.comm().rank();
  std::vector<pid_t> pids(3);
  const pid_t own = ::getpid();
  task.comm().allgather(std::span(&own, 1), std::span(pids));
  PackBuffer word;
  word.pack_value(rank);
  if (rank == 0) {
    (void)task.recv(siblings[1], 1);
  } else if (rank == 1) {
    const pid_t orphan = make_orphan();
    task.send(siblings[0], 1, word);
    require(eventually([&] { return ::kill(pids[0], 0) != 0; }), "rank 0 ends");
    // There and back through the daemon, which has seen to all that rank 0 has left by then.
    task.send(siblings[2], 1, word);
    (void)task.recv(siblings[2], 2);
    require(::kill(orphan, 0) == 0, "what rank 1 has started goes on");
    task.report(std::to_string(orphan));
  } else {
    (void)task.recv(siblings[1], 1);
    task.send(siblings[1], 2, word);
  }
  task.depart();
}

/// Which of three Comms is on one host: that of all tasks, of those whose ranks are even or odd, of this one alone.
void report_hosts(Task& task) {
  Comm& all = task.comm();
  const auto half = all.split(all.rank() % 2, 0);
  const auto own = all.split(all.rank(), 0);
  std::string report;
  for (const Comm* comm : {&all, half.get(), own.get()}) report += comm->is_on_one_host() ? "one " : "several ";
  task.report(report);
}

void join_twice(Task& task) {
  try {
    const Task again;
    require(false, "there is one");
  } catch (const UsageError& error) {
    task.report(error.what());
  }
}

void send_after_finish(Task& task) {
  task.finish();
  task.send(task.tid(), 1, PackBuffer());
}

void receive_after_depart(Task& task) {
  task.depart();
  (void)task.recv();
}

void use_a_comm_after_finish(Task& task) {
  task.finish();
  task.comm().barrier();
}

void wait_after_finish(Task& task) {
  Comm& comm = task.comm();
  int value = 0;
  Request request = comm.irecv(std::span(&value, 1), 0, 7);
  task.finish();
  comm.wait(request);
}

/// Nobody waits for the receive but its end, which is behind that of the task.
void forget_a_receive_after_finish(Task& task) {
  static int value = 0;
  Comm& comm = task.comm();
  const Request request = comm.irecv(std::span(&value, 1), 0, 7);
  task.finish();
}

void send_by_comm_after_finish(Task& task) {
  Comm& comm = task.comm();
  task.finish();
  comm.send(std::array<int, 1>{}, 0, 7);
}

/// The vector waits for it; its destructor cannot throw.
void forget_a_receive(Task& task) {
  std::array<int, 2> two{};
  std::array<int, 1> one{};
  if (task.comm().rank() == 1) return task.comm().send(two, 0, 7);
  std::vector<Request> requests;
  requests.push_back(task.comm().irecv(one, 1, 7));
}

void report_after_finish(Task& task) {
  task.finish();
  task.report("too late");
}

void throw_an_int(Task&) { throw 42; }

void throw_lines(Task&) { throw std::runtime_error("line one\nline two\n"); }

void fail_with_ok(Task& task) {
  task.fail(Exit::ok, "this is no success");
  ::_exit(0);
}

void leave_without_a_word(Task&) { ::_exit(0); }

/// Rank 0 ends rank 1, and the others would leave together.
void kill_a_sibling(Task& task) {
  if (task.comm().rank() == 0) task.kill(task.siblings()[1]);
  if (task.comm().rank() == 1) (void)task.recv(any_task, 12345);
}

/// Rank 1 leaves alone, and the others would leave together.
void leave_one_alone(Task& task) {
  std::vector<double> values(1024);
  task.comm().broadcast(values);  // through common memory, where there is any: so long that it is made
  if (task.comm().rank() == 1) task.depart();
}

/// What it says on standard error, and its status.
void run_a_task_in_a_task(Task& task) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw RunError("no pipe");
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  const int status = run_task([](Task&) {});
  ::dup2(before, STDERR_FILENO);
  ::close(ends[1]);
  std::array<char, 4096> said{};
  const ssize_t bytes = ::read(ends[0], said.data(), said.size());
  ::close(ends[0]);
  ::close(before);
  task.report(std::string(said.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))) + "status " +
              std::to_string(status));
}

constexpr std::array own_bodies{
    Body<Task>{"broadcasts", broadcasts},
    Body<Task>{"broadcasts last", broadcasts_last},
    Body<Task>{"wait for another tag", wait_for_another_tag},
    Body<Task>{"report rank", report_rank},
    Body<Task>{"packed messages", packed_messages},
    Body<Task>{"packed ring", packed_ring},
    Body<Task>{"packed ring after multicast", packed_ring_after_multicast},
    Body<Task>{"multicast", multicast},
    Body<Task>{"direct messages", direct_messages},
    Body<Task>{"receive without waiting", receive_without_waiting},
    Body<Task>{"depart one by one", depart_one_by_one},
    Body<Task>{"send to no task", send_to_no_task},
    Body<Task>{"beyond 4 GiB", beyond_4_gib},
    Body<Task>{"flood a sleeping receiver", flood_a_sleeping_receiver},
    Body<Task>{"fail without its buffer", fail_without_its_buffer},
    Body<Task>{"report methods", report_methods},
    Body<Task>{"report hosts", report_hosts},
    Body<Task>{"report candidates", report_candidates},
    Body<Task>{"report descriptors", report_descriptors},
    Body<Task>{"report eager", report_eager},
    Body<Task>{"write much", write_much},
    Body<Task>{"start a process and wait", start_a_process_and_wait},
    Body<Task>{"keep a process beside", keep_a_process_beside},
    Body<Task>{"join twice", join_twice},
    Body<Task>{"run a task in a task", run_a_task_in_a_task},
    Body<Task>{"send after finish", send_after_finish},
    Body<Task>{"receive after depart", receive_after_depart},
    Body<Task>{"use a Comm after finish", use_a_comm_after_finish},
    Body<Task>{"wait after finish", wait_after_finish},
    Body<Task>{"send by a Comm after finish", send_by_comm_after_finish},
    Body<Task>{"forget a receive after finish", forget_a_receive_after_finish},
    Body<Task>{"forget a receive that is too short", forget_a_receive},
    Body<Task>{"report after finish", report_after_finish},
    Body<Task>{"throw an int", throw_an_int},
    Body<Task>{"throw lines", throw_lines},
    Body<Task>{"fail with ok", fail_with_ok},
    Body<Task>{"leave without a word", leave_without_a_word},
    Body<Task>{"kill a sibling", kill_a_sibling},
    Body<Task>{"leave one alone", leave_one_alone},
};

const Body<Task>& body_of(std::string_view name) {
  for (const auto bodies : {spawn_bodies(), farm_bodies(), files_bodies(), service_bodies()}) {
    const auto found = std::ranges::find(bodies, name, &Body<Task>::name);
    if (found != bodies.end()) return *found;
  }
  return find_body<Task>(name, own_bodies);
}

}  // namespace

int test_task_main() {
  // What a body has to know beside its name stands below that.
  return run_task([](Task& task) { body_of(task.setup().substr(0, task.setup().find('\n'))).run(task); });
}

Machine::Program program_of(std::string_view name, int size, std::string_view transport) {
  Machine::Program program;
  program.path = process::own_program();
  program.size = size;
  program.transport = transport;
  program.setup = body_of(name).name;
  program.timeout = no_timeout;
  return program;
}

std::vector<HostSpec> loopback_hosts(int count, int slots) {
  std::vector<HostSpec> hosts;
  for (int host = 1; host <= count; ++host) {
    const std::string address = "127.0.0." + std::to_string(host);
    hosts.push_back({address, address, slots});
  }
  return hosts;
}

std::vector<HostSpec> two_hosts(int slots) { return loopback_hosts(2, slots); }

}  // namespace nasvm::test
