#pragma once
/// \file
/// Requests: what the program has started and not yet waited for (MPI-3.1, sections 3.7, 3.9, 5.12 and 12.2).

#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/progress.hpp"
#include "vm/abi/mpi/status.hpp"

namespace nasvm::mpi {

class Partitions;

enum class Mode : std::uint8_t { standard, buffered, synchronous, ready };

/// A send or receive as the program has described it.
struct MessageCall {
  void* buffer = nullptr;  ///< a send never writes through it
  std::ptrdiff_t count = 0;
  Datatype* type = nullptr;
  int peer = proc_null;
  int tag = 0;
  Communicator* comm = nullptr;
};
/// Fail where the description is wrong.
inline void check_message(const MessageCall& call) {
  check_comm(call.comm);
  check_data(call.count, call.type);
  if (call.peer != proc_null) check_buffer(call.buffer, call.count, *call.type);
}
inline void check_send(const MessageCall& call) {
  check_message(call);
  require(call.tag >= 0, err_tag);
  require(call.peer == proc_null || (call.peer >= 0 && call.peer < call.comm->peers()), err_rank);
}
inline void check_receive(const MessageCall& call) {
  check_message(call);
  require(call.tag >= 0 || call.tag == mpi_any_tag, err_tag);
  require(call.peer == proc_null || call.peer == mpi_any_source || (call.peer >= 0 && call.peer < call.comm->peers()),
          err_rank);
}

struct Request : Object {
  /// `sent`: a send that was complete when its call returned.
  enum class Work : std::uint8_t { nothing, sent, send, receive, job, program, flush, partitions };

  Request() : Object(Kind::request) {}
  explicit Request(int number) : Object(Kind::request, number) {}
  ~Request() {
    if (more_ != nullptr) leave();
  }

  /// Nothing has to be waited for any more.
  [[nodiscard]] bool is_complete() {
    if (is_message()) return operation.complete || cancelled || !active;
    return work == Work::sent || is_through();
  }
  /// The operation that a flush or a partitioned request waits for next; nullptr: none.
  [[nodiscard]] Operation* awaited();
  /// Says what came, and leaves the request inactive. Only once it is complete. Returns the error, if any.
  int finish(MessageStatus& status);

  /// A send or receive that nothing else belongs to.
  [[nodiscard]] bool is_message() const { return more_ == nullptr && (work == Work::send || work == Work::receive); }

  // Many are made and gone in a program's life.
  static void* operator new(std::size_t bytes) {
    if (free_memory == nullptr) return ::operator new(bytes);
    return std::exchange(free_memory, *static_cast<void**>(free_memory));
  }
  static void operator delete(void* memory) noexcept {
    *static_cast<void**>(memory) = std::exchange(free_memory, memory);
  }

  Work work = Work::nothing;
  Mode mode = Mode::standard;
  bool persistent = false;
  bool active = false;
  bool cancelled = false;
  bool looked_at = false;  ///< MPI_Request_get_status has finished it already
  bool done = false;       ///< a request of the program's own
  Operation operation;
  MessageCall message;  ///< of persistent ones, to be started again
  Ref<Communicator> comm;
  Ref<Datatype> type;  ///< where it is needed later: the message is to be started again, or lands in a copy
  // Of data that does not lie together, or that the program may change. Most is sent and received in place.
  std::unique_ptr<Outgoing> out;
  std::unique_ptr<Incoming> in;

  /// What most requests do without: making and clearing it takes as long as all the rest.
  struct More {
    More();
    ~More();
    Request* sending = nullptr;      ///< the other half of a send and receive
    std::vector<std::byte> claimed;  ///< where a message is that a probe has taken (MPI_Mprobe)
    Buffer* buffer = nullptr;  ///< the program's (MPI_Buffer_attach), which it takes part of, or which it empties
    std::size_t buffered_bytes = 0;     ///< that it takes
    std::uint64_t buffered_number = 0;  ///< Buffer::next_number
    MessageStatus status;               ///< of what is complete from the start, or has been looked at
    int code = success;                 ///< what the look has found
    std::unique_ptr<Partitions> partitions;
    bool may_stay = false;  ///< it need not have left when the library ends
    std::shared_ptr<Progress::Job> job;
    unsigned job_number = 0;     ///< from its making on: tasks may start persistent ones in any order (MPI-4.0, 6.13)
    std::function<void()> body;  ///< of a persistent collective
    UserFunction query, free, cancel;  ///< of a request of the program's own
    void* extra_state = nullptr;
  };
  More& more() {
    if (more_ == nullptr) more_ = std::make_unique<More>();
    return *more_;
  }
  [[nodiscard]] bool has_more() const { return more_ != nullptr; }
  /// The other half of a send and receive, if there is one.
  [[nodiscard]] Request* sending() const { return more_ == nullptr ? nullptr : more_->sending; }
  [[nodiscard]] const Buffer* buffer() const { return more_ == nullptr ? nullptr : more_->buffer; }

 private:
  [[nodiscard]] bool is_through();

  void leave();
  /// Calls the program's function that frees what it keeps for this one, if there is one and it has not been called.
  int free_of_program();
  friend int take(Request*& request, MessageStatus& status);
  int finish_other(MessageStatus& status);

  std::unique_ptr<More> more_;
  inline static void* free_memory = nullptr;  ///< memory of such, each begins with where the next one is
};

/// Stands for what comes from nobody (MPI_MESSAGE_NO_PROC).
Request& message_from_nobody();

/// Fill a request and start it; a persistent one is only filled. Sends that are complete at once, as short ones are,
/// share one request.
Request* start_send(const MessageCall& call, Mode mode);
Request* start_receive(const MessageCall& call);
/// The message leaves from a copy.
Request* start_sending_copy(const MessageCall& call);
Request* describe_send(const MessageCall& call, Mode mode);
Request* describe_receive(const MessageCall& call);
void start(Request& request);
/// A collective in the background.
Request* start_job(Communicator& comm, std::function<void()> body);
/// One that is started as often as the program wants.
Request* describe_job(Communicator& comm, std::function<void()> body);

/// Blocks until one of them is complete; nullptr stands for none.
void wait_some(std::span<Request* const> requests);
/// Blocks until it is complete, finishes it, and gives it up unless it is persistent. Returns the error, if any.
int wait(Request*& request, MessageStatus& status);
/// Moves messages along, for a call that has found nothing complete.
void look();
/// A complete request is finished and, unless it is persistent, given up. Returns the error, if any.
int take(Request*& request, MessageStatus& status);
/// Whether waiting for it means anything.
inline bool is_live(const Request* request) { return request != nullptr && request->active; }
/// Of a request that the program has given up: it is freed once it is complete, and somebody looks.
void leave_alone(Request* request);
/// Frees what is complete of those; with `all`, waits for them.
void sweep_orphans(bool all);

/// A tag as Comm has it.
inline Tag wanted_tag(int tag) { return tag == mpi_any_tag ? any_tag : tag; }

inline void set(MessageStatus* status, const MessageStatus& value) {
  if (status == nullptr) return;
  const int error = status->error;  // only calls that complete several requests set it (MPI-3.1, 3.2.5)
  *status = value;
  status->error = error;
}

/// What fails in there is heard by the error handler of the request's communicator.
template <typename Action>
void heard_by_comm_of(const Request& request, const Action& action) {
  try {
    action();
  } catch (Failure& failure) {
    if (failure.comm == nullptr && failure.handler == nullptr) failure.comm = request.comm.get();
    throw;
  }
}

}  // namespace nasvm::mpi
