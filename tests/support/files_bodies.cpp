#include "support/files_bodies.hpp"

#include <nasvm/edonio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "support/chaos_plan.hpp"
#include "support/deadline.hpp"
#include "vm/files/edonio.hpp"
#include "vm/files/gathering.hpp"

namespace nasvm::test {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::logic_error(what + " (" + do_error() + ")");
}

/// What stands below the body's name.
struct Order {
  explicit Order(const Task& task) {
    std::istringstream text(task.setup());
    std::string name;
    std::getline(text, name);
    std::getline(text, path);
    for (int number = 0; text >> number;) numbers.push_back(number);
  }
  std::string path;
  std::vector<int> numbers;
};

/// The file cache of a task, as a C program has it.
struct Session {
  explicit Session(Task& task) {
    files::attach(task);
    require(do_nio(task.comm().rank(), task.comm().size()) == 0, "do_nio");
  }
  ~Session() { files::detach(); }
};

/// The paper's program (its appendix): the vertices of each element of a grid of n x n x n, z fastest; columns of
/// elements are dealt out. Numbers: n, elements of an access, KBytes of the caches, preload or not; where there is
/// one more, the elements begin so many MiB into the file.
void appendix(Task& task) {
  const Order order(task);
  const int n = order.numbers[0];
  const int per_access = order.numbers[1];
  const off_t begin = order.numbers.size() > 5 ? off_t{order.numbers[5]} << 20 : 0;
  const int rank = task.comm().rank();
  const int size = task.comm().size();
  const Session session(task);
  require(do_csize(order.numbers[2], order.numbers[3]) == 0, "do_csize");
  constexpr std::array<int, 8> dx{0, 1, 1, 0, 0, 1, 1, 0};
  constexpr std::array<int, 8> dy{0, 0, 1, 1, 0, 0, 1, 1};
  constexpr std::array<int, 8> dz{0, 0, 0, 0, 1, 1, 1, 1};
  using Element = std::array<std::int32_t, 8>;
  std::vector<Element> column(static_cast<std::size_t>(n));
  const auto make_column = [&](int x, int y) {
    for (int z = 0; z < n; ++z) {
      for (std::size_t i = 0; i < 8; ++i) {
        column[static_cast<std::size_t>(z)][i] = z + dz[i] + (x + dx[i]) * (n + 1) + (y + dy[i]) * (n + 1) * (n + 1);
      }
    }
  };
  const auto for_own_columns = [&](const auto& visit) {
    for (int y = 0; y < n; ++y) {
      for (int x = 0; x < n; ++x) {
        if ((x + 1 + y * n) % size == rank) visit(x, y);
      }
    }
  };
  const auto for_accesses = [&](const auto& visit) {
    for (int z = 0; z < n; z += per_access) {
      visit(static_cast<std::size_t>(z), static_cast<std::size_t>(std::min(per_access, n - z)));
    }
  };
  const auto seek = [&](int fd, int x, int y) {
    const off_t to = begin + (off_t{x} + off_t{y} * n) * n * static_cast<off_t>(sizeof(Element));
    require(do_lseek(fd, to - do_lseek(fd, 0, SEEK_CUR), SEEK_CUR) == to, "do_lseek");
  };

  int fd = do_open(order.path.c_str(), O_WRONLY, 0666);
  require(fd >= 0, "do_open to write");
  const off_t bytes = off_t{n} * n * n * static_cast<off_t>(sizeof(Element));
  if (begin == 0) require(do_lsize(fd, 2 * bytes) == 2 * bytes, "do_lsize");
  for_own_columns([&](int x, int y) {
    make_column(x, y);
    seek(fd, x, y);
    for_accesses([&](std::size_t z, std::size_t count) {
      const auto length = static_cast<ssize_t>(count * sizeof(Element));
      require(do_write(fd, &column[z], static_cast<std::size_t>(length)) == length, "do_write");
    });
  });
  require(do_close(fd) == 0, "do_close after writing");

  fd = do_open(order.path.c_str(), O_RDONLY, 0);
  require(fd >= 0, "do_open to read");
  require(do_lseek(fd, 0, SEEK_END) == (bytes == 0 ? 0 : begin + bytes), "size");
  require(do_lseek(fd, begin, SEEK_SET) == begin, "do_lseek");
  if (order.numbers[4] != 0) require(do_preload(fd) == 0, "do_preload");
  std::vector<Element> read(column.size());
  for_own_columns([&](int x, int y) {
    make_column(x, y);
    seek(fd, x, y);
    for_accesses([&](std::size_t z, std::size_t count) {
      const auto length = static_cast<ssize_t>(count * sizeof(Element));
      require(do_read(fd, &read[z], static_cast<std::size_t>(length)) == length, "do_read");
    });
    require(read == column, "what was read is what was written");
  });
  require(do_gsync() == 0, "do_gsync");
  require(do_close(fd) == 0, "do_close after reading");
}

std::byte byte_of(std::uint64_t position) { return static_cast<std::byte>(position % 251 + 1); }

std::vector<std::byte> bytes_of(std::uint64_t position, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = byte_of(position + i);
  return bytes;
}

/// A file of more than 4 GiB with little in it.
void sparse(Task& task) {
  const Order order(task);
  const Session session(task);
  const int rank = task.comm().rank();
  const int fd = do_open(order.path.c_str(), O_RDWR | O_TRUNC, 0666);
  require(fd >= 0, "do_open");
  constexpr off_t far = 5'000'000'000;
  const auto own = bytes_of(static_cast<std::uint64_t>(rank), 100'000);
  require(do_eseek(fd, far + rank * off_t{100'000}, SEEK_SET) == far + rank * off_t{100'000}, "do_eseek");
  require(do_write(fd, own.data(), own.size()) == 100'000, "do_write");
  require(do_flush(fd) == 0, "do_flush");
  const off_t size = far + task.comm().size() * off_t{100'000};
  require(do_lseek(fd, 0, SEEK_END) == size, "size");
  const int other = (rank + 1) % task.comm().size();
  std::vector<std::byte> read(own.size());
  require(
      do_lseek(fd, far + other * off_t{100'000}, SEEK_SET) > 0 && do_read(fd, read.data(), read.size()) == 100'000,
      "do_read");
  require(read == bytes_of(static_cast<std::uint64_t>(other), 100'000), "another's bytes");
  require(do_lseek(fd, far - 100'000, SEEK_SET) > 0 && do_read(fd, read.data(), read.size()) == 100'000, "do_read");
  require(read == std::vector<std::byte>(100'000), "a gap is zero");
  require(do_read(fd, read.data(), 0) == 0, "nothing");
  require(do_lseek(fd, size - 1, SEEK_SET) > 0 && do_read(fd, read.data(), 2) == -1 && errno == ENODATA, "the end");
  require(do_close(fd) == 0, "do_close");
}

/// Half of the file is flushed; in the midst of writing the rest, the last task is killed.
void die_while_writing(Task& task) {
  const Order order(task);
  const Session session(task);
  require(do_csize(64, 256) == 0, "do_csize");
  const int rank = task.comm().rank();
  const int size = task.comm().size();
  const auto half = static_cast<std::size_t>(order.numbers[0]);
  constexpr std::size_t piece = 1000;
  const int fd = do_open(order.path.c_str(), O_WRONLY, 0666);
  require(fd >= 0, "do_open");
  for (std::size_t at = 0; at < 2 * half; at += piece) {
    if (at == half) {
      require(do_flush(fd) == 0, "do_flush");
      if (rank == 0) std::ofstream(order.path + ".flushed") << "yes";
    }
    if (at / piece % static_cast<std::size_t>(size) != static_cast<std::size_t>(rank)) continue;
    if (rank == size - 1 && at > half + half / 2) ::raise(SIGKILL);
    const auto bytes = bytes_of(at, piece);
    require(do_lseek(fd, static_cast<off_t>(at), SEEK_SET) >= 0, "do_lseek");
    require(do_write(fd, bytes.data(), piece) == static_cast<ssize_t>(piece), "do_write");
  }
  require(do_close(fd) == 0, "do_close");
}

/// Rounds of writing (chaos_plan.hpp), of which each is flushed; one task is killed by an alarm, wherever it is then.
/// Numbers: seed, whose end, microseconds from the first write on. A file beside says, by its length, how many rounds
/// were flushed.
void chaos(Task& task) {
  const Order order(task);
  const Session session(task);
  const int seed = order.numbers[0];
  require(do_csize(64, 64 * (1 + seed % 5)) == 0, "do_csize");
  const int rank = task.comm().rank();
  const ChaosPlan plan(seed, task.comm().size());
  const int fd = do_open(order.path.c_str(), O_RDWR | O_TRUNC, 0666);
  require(fd >= 0, "do_open");
  if (rank == order.numbers[1]) {
    const itimerval alarm{{0, 0}, {0, order.numbers[2]}};
    require(::setitimer(ITIMER_REAL, &alarm, nullptr) == 0, "setitimer");
  }
  std::vector<std::byte> bytes(ChaosPlan::piece_bytes);
  int number = 0;
  for (Deadline deadline; !deadline.passed();) {
    ++number;
    for (const ChaosPlan::Piece& piece : plan.round(number)) {
      if (piece.task != rank) continue;
      const std::uint64_t at = piece.place * ChaosPlan::piece_bytes;
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = ChaosPlan::byte_of(at + i, number);
      require(do_lseek(fd, static_cast<off_t>(at), SEEK_SET) >= 0, "do_lseek");
      require(do_write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "do_write");
    }
    require(do_flush(fd) == 0, "do_flush");
    if (rank == 0) std::ofstream(order.path + ".flushed", std::ios::app) << '.';
  }
}

/// The last task has ended, or waits for a message, while the others make a collective call. Numbers: which call,
/// whether it waits. They report the error.
void absent(Task& task) {
  const Order order(task);
  const bool waits = order.numbers[1] != 0;
  const Session session(task);
  const int fd = do_open(order.path.c_str(), O_RDWR, 0666);
  require(fd >= 0, "do_open");
  const int last = task.comm().size() - 1;
  std::array<int, 1> word{};
  if (task.comm().rank() == last) {
    if (!waits) return;
    (void)task.comm().recv(word, 0, 5);
  }
  const std::string other = order.path + ".other";
  const std::array<std::function<bool()>, 7> calls{[&] { return do_open(other.c_str(), O_RDWR, 0666) == -1; },
                                                   [&] { return do_flush(fd) == -1; },
                                                   [&] { return do_close(fd) == -1; },
                                                   [&] { return do_preload(fd) == -1; },
                                                   [&] { return do_csize(64, 128) == -1; },
                                                   [&] { return do_lsize(fd, 1000) == -1; },
                                                   [&] { return do_gsync() == -1; }};
  const auto begin = std::chrono::steady_clock::now();
  require(calls[static_cast<std::size_t>(order.numbers[0])]() && errno == ETIMEDOUT, "a task is missing");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  task.report(std::string(do_error()) + "\n" + std::to_string(took.count()));
  // Who ends first would be missing, too.
  if (task.comm().rank() == last) return;
  if (task.comm().rank() != 0) return task.comm().send(word, 0, 6);
  for (int each = 1; each < last; ++each) (void)task.comm().recv(word, each, 6);
  if (waits) task.comm().send(word, last, 5);
}

/// Task 0 reads while all others are in a barrier: they serve it.
void read_while_others_wait(Task& task) {
  const Order order(task);
  const Session session(task);
  const int fd = do_open(order.path.c_str(), O_RDWR | O_TRUNC, 0666);
  require(fd >= 0, "do_open");
  constexpr std::size_t count = 3'000'000;
  if (task.comm().rank() == 0) {
    const auto out = bytes_of(0, count);
    require(do_write(fd, out.data(), count) == static_cast<ssize_t>(count), "do_write");
    std::vector<std::byte> in(count);
    require(do_lseek(fd, 0, SEEK_SET) == 0, "do_lseek");
    for (std::size_t at = 0; at < count; at += 500) require(do_read(fd, &in[at], 500) == 500, "do_read");
    require(in == out, "bytes");
  }
  task.comm().barrier();
  require(do_close(fd) == 0, "do_close");
}

/// Task 0 writes, flushes and reads what others own while these compute, without a call of the message layer, until
/// a file says that it has read: a thread has served it.
void read_while_others_compute(Task& task) {
  const Order order(task);
  ::setenv("NASVM_EDONIO", "thread=on:share=off", 1);
  const Session session(task);
  const int fd = do_open(order.path.c_str(), O_RDWR | O_TRUNC, 0666);
  require(fd >= 0, "do_open");
  constexpr std::size_t count = 1'000'000;
  const std::string has_read = order.path + ".read";
  if (task.comm().rank() == 0) {
    const auto out = bytes_of(0, count);
    require(do_write(fd, out.data(), count) == static_cast<ssize_t>(count), "do_write");
    std::vector<std::byte> in(count);
    require(do_lseek(fd, 0, SEEK_SET) == 0, "do_lseek");
    for (std::size_t at = 0; at < count; at += 500) require(do_read(fd, &in[at], 500) == 500, "do_read");
    require(in == out, "bytes");
    std::ofstream(has_read) << "yes";
  } else {
    for (Deadline deadline; !std::filesystem::exists(has_read);) {
      require(!deadline.passed(), "others read from a task that computes");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // as well as computing, but for the other tests
    }
  }
  require(do_close(fd) == 0, "do_close");
}

/// The last task waits for a message while the others open a file.
void wait_elsewhere(Task& task) {
  const Order order(task);
  if (order.numbers[0] != 0) ::setenv("NASVM_EDONIO", "thread=on", 1);
  const Session session(task);
  const int last = task.comm().size() - 1;
  std::array<int, 1> word{};
  if (task.comm().rank() == last) (void)task.comm().recv(word, 0, 5);
  require(do_open(order.path.c_str(), O_RDWR, 0666) == -1 && errno == ETIMEDOUT, "a task is missing");
  task.report(do_error());
  if (task.comm().rank() == 0) task.comm().send(word, last, 5);
  const int fd = do_open(order.path.c_str(), O_RDWR, 0666);
  require(fd >= 0 && do_close(fd) == 0, "all are in step again");
}

/// One task computes for longer than a missing one is waited for; nobody complains.
void compute_elsewhere(Task& task) {
  const Order order(task);
  if (order.numbers[1] != 0) ::setenv("NASVM_EDONIO", "thread=on", 1);
  const Session session(task);
  if (task.comm().rank() == 1) {
    const auto end = std::chrono::steady_clock::now() + 2 * files::Absence::patience + std::chrono::seconds(1);
    while (std::chrono::steady_clock::now() < end) {
      if (order.numbers[0] != 0) require(do_check() == 0, "do_check");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // as well as computing, but for the other tests
    }
  }
  const int fd = do_open(order.path.c_str(), O_RDWR, 0666);
  require(fd >= 0 && do_close(fd) == 0, "do_open");
}

/// do_nio fails; the program goes on, with messages of its own, and begins again.
void begin_again(Task& task) {
  const Order order(task);
  const int rank = task.comm().rank();
  const int size = task.comm().size();
  files::attach(task);
  ::setenv("NASVM_EDONIO", rank == 0 ? "block=64k" : "block=128k", 1);
  require(do_nio(rank, size) == -1 && errno == EINVAL, "blocks of different lengths");
  const std::array<int, 1> out{rank};
  std::array<int, 1> in{};
  (void)task.comm().sendrecv(out, (rank + 1) % size, in, (rank + size - 1) % size, 5);
  require(in[0] == (rank + size - 1) % size, "a message");
  task.comm().barrier();  // what comes to a part that has ended is not carried out

  ::setenv("NASVM_EDONIO", "block=64k:share=off", 1);
  const Session session(task);
  const int fd = do_open(order.path.c_str(), O_RDWR | O_TRUNC, 0666);
  require(fd >= 0, "do_open");
  constexpr std::size_t count = 200'000;
  const auto begin_of = [&](int number) { return static_cast<off_t>(count) * number; };
  const auto own = bytes_of(static_cast<std::uint64_t>(begin_of(rank)), count);
  require(do_lseek(fd, begin_of(rank), SEEK_SET) == begin_of(rank), "do_lseek");
  require(do_write(fd, own.data(), count) == static_cast<ssize_t>(count), "do_write");
  require(do_gsync() == 0, "do_gsync");
  const int other = (rank + 1) % size;
  std::vector<std::byte> read(count);
  require(do_lseek(fd, begin_of(other), SEEK_SET) == begin_of(other), "do_lseek");
  require(do_read(fd, read.data(), count) == static_cast<ssize_t>(count), "do_read");
  require(read == bytes_of(static_cast<std::uint64_t>(begin_of(other)), count), "another's bytes");
  require(do_close(fd) == 0, "do_close");
}

/// One session after the other, in which others end their parts while this task begins to, or ends its own.
void many_sessions(Task& task) {
  const Order order(task);
  ::setenv("NASVM_EDONIO", "thread=on:block=4k", 1);
  const std::byte byte{1};
  for (int i = 0; i < order.numbers[0]; ++i) {
    const Session session(task);
    const int fd = do_open(order.path.c_str(), O_RDWR | O_TRUNC, 0666);
    require(fd >= 0, "do_open");
    require(do_write(fd, &byte, 1) == 1, "do_write");
    require(do_close(fd) == 0, "do_close");
  }
}

/// The task ends without files::detach, and then the program.
void leave_open(Task& task) {
  const Order order(task);
  files::attach(task);
  require(do_nio(task.comm().rank(), task.comm().size()) == 0, "do_nio");
  require(do_open(order.path.c_str(), O_RDWR, 0666) >= 0, "do_open");
}

/// The last task ends its part in files, and lives on. The others write to its blocks until they are told; they
/// report the error. Number: it does so when there is hardly any room for what is sent to it, and serves nobody
/// before.
void outlive_own_part(Task& task) {
  const Order order(task);
  ::setenv("NASVM_EDONIO", "block=64k:share=off", 1);
  const int last = task.comm().size() - 1;
  const std::string full = order.path + ".full";
  std::array<int, 1> word{};
  {
    const Session session(task);
    const int fd = do_open(order.path.c_str(), O_RDWR | O_TRUNC, 0666);
    require(fd >= 0, "do_open");
    if (task.comm().rank() == last && order.numbers[0] != 0) {
      for (Deadline deadline; !std::filesystem::exists(full);) {
        require(!deadline.passed(), "others write");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    if (task.comm().rank() != last) {
      const auto out = bytes_of(0, 600'000);  // a third of it each task's
      auto is_told = [&, rounds = 0]() mutable {
        if (++rounds == 5) std::ofstream(full) << "nearly";
        require(do_lseek(fd, 0, SEEK_SET) == 0, "do_lseek");
        return do_write(fd, out.data(), out.size()) == -1;
      };
      for (Deadline deadline; !is_told();) require(!deadline.passed(), "an error");
      require(errno == EIO, "the error's number");
      task.report(do_error());
      // Who ends first would be missing, too.
      for (int other = 0; other < last; ++other) task.comm().send(word, other, 5);
      for (int other = 0; other < last; ++other) (void)task.comm().recv(word, other, 5);
    }
  }
  for (int other = 0; other < last; ++other) {
    if (task.comm().rank() == last) (void)task.comm().recv(word, other, 6);
  }
  if (task.comm().rank() != last) task.comm().send(word, last, 6);
}

constexpr std::array own_bodies{
    Body<Task>{"files: appendix", appendix},
    Body<Task>{"files: sparse", sparse},
    Body<Task>{"files: die while writing", die_while_writing},
    Body<Task>{"files: chaos", chaos},
    Body<Task>{"files: absent", absent},
    Body<Task>{"files: read while others wait", read_while_others_wait},
    Body<Task>{"files: read while others compute", read_while_others_compute},
    Body<Task>{"files: wait elsewhere", wait_elsewhere},
    Body<Task>{"files: compute elsewhere", compute_elsewhere},
    Body<Task>{"files: begin again", begin_again},
    Body<Task>{"files: many sessions", many_sessions},
    Body<Task>{"files: leave open", leave_open},
    Body<Task>{"files: outlive own part", outlive_own_part},
};

}  // namespace

std::span<const Body<Task>> files_bodies() { return own_bodies; }

}  // namespace nasvm::test
