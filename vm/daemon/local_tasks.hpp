#pragma once
/// \file
/// The tasks of a daemon's host: which there are, and what the console is told of them. Processes and sockets are
/// behind LocalTask (task_process.hpp): this part has none.

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "vm/daemon/port.hpp"
#include "vm/message.hpp"
#include "vm/protocol/messages.hpp"

namespace nasvm::daemon {

/// One task. Nothing here blocks.
class LocalTask {
 public:
  virtual ~LocalTask() = default;
  [[nodiscard]] virtual pid_t pid() const = 0;
  /// How its process has ended, as waitpid says, once it has.
  [[nodiscard]] virtual std::optional<int> ended() const = 0;
  /// Everything that it has sent has been read, and nothing more will come.
  [[nodiscard]] virtual bool is_heard_out() const = 0;
  virtual void send(const ControlText& message) = 0;
  /// Lets messages of other tasks in.
  virtual void open() = 0;
  /// It reads nothing any more: what is for it is dropped.
  virtual void end_output() = 0;
  virtual void kill() = 0;
};

class LocalTasks {
 public:
  /// Starts the process of a task. Throws RunError.
  using Starter = std::function<std::unique_ptr<LocalTask>(const protocol::Spawn&, const protocol::TaskEntry&)>;
  using Teller = std::function<void(const protocol::Message&)>;

  LocalTasks(Starter start, Teller tell_console) : start_(std::move(start)), tell_console_(std::move(tell_console)) {}

  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] std::vector<pid_t> pids() const;
  /// nullptr when there is no such task (any more).
  [[nodiscard]] const LocalTask* find(Tid tid) const;

  /// Starts tasks, and tells the console of each that cannot be started; with many, from time to time, that all is
  /// well.
  void spawn(const protocol::Spawn& message);
  /// Tells the console that none of these can be started, with the exception that is being handled.
  void refuse(const protocol::Spawn& message);
  /// Tells those of that world who the others are; the console as with `spawn`.
  void begin(const protocol::Start& message);
  /// Passes a message on to a task, if it is there.
  void pass(Tid tid, const protocol::Message& message);
  /// Passes a message on to all tasks.
  void pass_all(const protocol::Message& message);
  /// Ends one task, if it is there.
  void end(Tid tid);
  /// Ends all. The console is told when none is left, and not of each.
  void kill();
  /// Ends all; the console is told nothing.
  void end();

  /// The task has said that it leaves in good order, and reads nothing any more; `alone`: its siblings stay.
  void note_done(Tid tid, bool alone);
  /// Passes a message of the task on to the console, with the tid and process id that this daemon knows.
  template <typename OfTask>
  void forward(Tid tid, OfTask message) {
    const LocalTask* task = find(tid);
    if (task == nullptr) return;
    message.tid = tid;
    message.pid = task->pid();
    tell_console_(std::move(message));
  }

  /// Reports and forgets those that have ended. Between events, so that nothing of theirs is still in use.
  void sweep();

 private:
  [[nodiscard]] LocalTask* task_of(Tid tid);

  struct Entry {
    std::unique_ptr<LocalTask> task;
    bool done = false;
    bool alone = false;
  };

  /// Its end, as the console is told; nothing while more may come from it.
  [[nodiscard]] static std::optional<protocol::Exited> end_of(Tid tid, const Entry& entry);
  /// To be called after each of many tasks, with their number so far: dealing with all takes long.
  void show_life(int tasks_so_far);
  void say_killed_when_alone();
  void tell_not_started(Tid tid);

  Starter start_;
  Teller tell_console_;
  std::map<Tid, Entry> tasks_;
  bool killing_ = false;
};

}  // namespace nasvm::daemon
