#include "nasvm/edonio.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "vm/abi/whereabouts/place.hpp"
#include "vm/abi/whereabouts/whereabouts.hpp"
#include "vm/files/edonio.hpp"

namespace nasvm::files {
namespace {

/// What one process has of all this.
struct Program {
  Task* task = nullptr;
  service::Service* service = nullptr;
  std::unique_ptr<Task> own_task;  ///< of a program that knows nothing of tasks
  std::unique_ptr<Session> session;
  bool is_child = false;         ///< of a process that has a session
  Task* parents_task = nullptr;  ///< in a child, where leak checkers find what is the parent's
  Session* parents_session = nullptr;
  std::string failure;      ///< of the last do_nio; empty: none
  bool is_awaited = false;  ///< it failed here alone: the others are in it, and wait for this task
  std::string error;
};

/// It stays when the program ends: the task of a session that nobody has ended may be gone then.
Program& program() {
  static Program& the_program = *new Program;
  return the_program;
}

[[gnu::constructor]] void let_lines_leave() { abi::let_lines_leave(Task::in_environment()); }

/// Who ends well may not know it.
void tell_of_unsaved(const Files& files) {
  for (const std::string& path : files.unsaved()) {
    fmt::print(stderr,
               "nasvm: {}: the program has ended without do_flush or do_close: what it has written may be lost\n",
               path);
  }
}

/// A program that has become a task by do_nio leaves in good order when it ends so.
void leave(int status, void*) {
  Program& the_program = program();
  const bool is_attached = the_program.task != nullptr && the_program.own_task == nullptr;
  if (status == 0 && the_program.session != nullptr && !is_attached) tell_of_unsaved(the_program.session->files());
  if (the_program.own_task == nullptr) return;
  try {
    detach();
    if (status != 0) the_program.own_task->fail(Exit::broken, fmt::format("ended with exit status {}", status));
    else if (the_program.is_awaited) the_program.own_task->fail(Exit::broken, the_program.failure);
    else the_program.own_task->finish();
  } catch (const std::exception& error) {
    the_program.own_task->fail(Exit::broken, error.what());
  }
  the_program.own_task.reset();
}

/// What is there by then is still there when the program leaves.
void leave_at_end() { [[maybe_unused]] static const int end = ::on_exit(leave, nullptr); }

/// What a child has of its parent's part must neither be used nor end. It has no thread to unlock anything either.
void put_aside() {
  Program& the_program = program();
  the_program.is_child = the_program.is_child || the_program.session != nullptr || the_program.task != nullptr;
  if (the_program.session != nullptr) the_program.parents_session = the_program.session.release();
  if (the_program.own_task != nullptr) the_program.parents_task = the_program.own_task.release();
  the_program.task = nullptr;
  the_program.service = nullptr;
}

void begin(int number, int count) {
  [[maybe_unused]] static const int children = ::pthread_atfork(nullptr, nullptr, put_aside);
  Program& the_program = program();
  if (the_program.session != nullptr) throw FileError(EBUSY, "do_nio was called before");
  if (the_program.is_child) throw FileError(EBUSY, "the process that forked this one has called do_nio");
  if (the_program.task == nullptr && Task::descends_from_daemon()) {
    abi::join_whereabouts({});
    const std::string reason = abi::take_place_of_task(Task::in_environment());
    if (!reason.empty()) throw FileError(EBUSY, reason);
    the_program.own_task = std::make_unique<Task>();
    the_program.task = the_program.own_task.get();
    abi::whereabouts().phase = abi::Whereabouts::Phase::elsewhere;
    leave_at_end();
  }
  const int rank = the_program.task == nullptr ? 0 : the_program.task->comm().rank();
  const int size = the_program.task == nullptr ? 1 : the_program.task->comm().size();
  // At once, and not to all: a program may try which number is right.
  the_program.is_awaited = number != rank || count != size;
  if (the_program.is_awaited) {
    throw FileError(EINVAL, fmt::format("do_nio({}, {}): this is task {} of {}", number, count, rank, size));
  }
  if (the_program.task == nullptr) {
    the_program.session = std::make_unique<Session>();
    leave_at_end();
  } else if (the_program.service == nullptr) {
    the_program.session = std::make_unique<Session>(*the_program.task);
  } else {
    the_program.session = std::make_unique<Session>(*the_program.task, *the_program.service);
  }
}

Files& files() {
  const Program& the_program = program();
  if (the_program.session != nullptr) return the_program.session->files();
  if (the_program.is_child) throw FileError(EINVAL, "the process that forked this one has called do_nio");
  if (!the_program.failure.empty()) throw FileError(EINVAL, "do_nio has failed: " + the_program.failure);
  throw FileError(EINVAL, "do_nio was not called yet");
}

/// What `action` returns, or -1.
template <typename Action>
auto guard(Action action) noexcept -> decltype(action()) {
  try {
    return action();
  } catch (const FileError& error) {
    program().error = error.what();
    errno = error.code();
  } catch (const std::bad_alloc&) {
    program().error = "out of memory";
    errno = ENOMEM;
  } catch (const std::exception& error) {
    program().error = error.what();
    errno = EIO;
  }
  return -1;
}

Files::Opening opening_of(const char* path, int flags, int mode) {
  Files::Opening opening{.mode = mode};
  if ((flags & O_APPEND) != 0) throw FileError(EINVAL, fmt::format("{}: O_APPEND is not supported: seek", path));
  switch (flags & O_ACCMODE) {
    case O_RDONLY:
      opening.access = Access::read;
      break;
    case O_WRONLY:
      opening.access = Access::write;
      break;
    case O_RDWR:
      opening.access = Access::read_write;
      break;
    default:
      throw FileError(EINVAL, fmt::format("{}: neither read, write nor both", path));
  }
  const bool writes = opening.access != Access::read;
  if (!writes && (flags & (O_CREAT | O_TRUNC | O_EXCL)) != 0) {
    throw FileError(EINVAL, fmt::format("{}: O_CREAT, O_TRUNC and O_EXCL are for files that are written to", path));
  }
  opening.create = writes;
  opening.exclusive = writes && (flags & O_EXCL) != 0;
  opening.truncate = opening.access == Access::write || (writes && (flags & O_TRUNC) != 0);
  return opening;
}

Files::Whence whence_of(int whence) {
  switch (whence) {
    case SEEK_SET:
      return Files::Whence::set;
    case SEEK_CUR:
      return Files::Whence::current;
    case SEEK_END:
      return Files::Whence::end;
    default:
      throw FileError(EINVAL, fmt::format("{} is neither SEEK_SET, SEEK_CUR nor SEEK_END", whence));
  }
}

std::uint64_t not_negative(std::int64_t bytes) {
  if (bytes < 0) throw FileError(EINVAL, fmt::format("{} bytes", bytes));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

void attach(Task& task, service::Service* service) {
  program().task = &task;
  program().service = service;
}

void detach() { program().session.reset(); }

}  // namespace nasvm::files

using namespace nasvm::files;

extern "C" {

int do_nio(int myid, int nproc) {
  Program& the_program = program();
  const bool has_begun = the_program.session != nullptr;
  const int result = guard([&] {
    begin(myid, nproc);
    return 0;
  });
  if (!has_begun) the_program.failure = result == 0 ? "" : the_program.error;
  return result;
}

int do_open(const char* path, int flags, int mode) {
  return guard([&] { return files().open(path, opening_of(path, flags, mode)); });
}

int do_close(int fd) {
  return guard([&] {
    files().close(fd);
    return 0;
  });
}

ssize_t do_read(int fd, void* buf, size_t nbytes) {
  return guard([&] {
    files().read(fd, {static_cast<std::byte*>(buf), nbytes});
    return static_cast<ssize_t>(nbytes);
  });
}

ssize_t do_write(int fd, const void* buf, size_t nbytes) {
  return guard([&] { return static_cast<ssize_t>(files().write(fd, {static_cast<const std::byte*>(buf), nbytes})); });
}

off_t do_lseek(int fd, off_t offset, int whence) {
  return guard([&] { return static_cast<off_t>(files().seek(fd, offset, whence_of(whence))); });
}

esize_t do_eseek(int fd, esize_t offset, int whence) { return do_lseek(fd, offset, whence); }

off_t do_lsize(int fd, off_t nbytes) {
  return guard([&] { return static_cast<off_t>(files().reserve(fd, not_negative(nbytes))); });
}

esize_t do_esize(int fd, esize_t nbytes) { return do_lsize(fd, nbytes); }

int do_flush(int fd) {
  return guard([&] {
    files().flush(fd);
    return 0;
  });
}

int do_preload(int fd) {
  return guard([&] {
    files().preload(fd);
    return 0;
  });
}

int do_csize(int data_size, int disk_size) {
  return guard([&] {
    files().set_cache_sizes(not_negative(data_size) * 1024, not_negative(disk_size) * 1024);
    return 0;
  });
}

int do_check(void) {
  return guard([&] {
    files().look();
    return 0;
  });
}

int do_gsync(void) {
  return guard([&] {
    files().synchronize();
    return 0;
  });
}

const char* do_error(void) { return program().error.c_str(); }

}  // extern "C"
