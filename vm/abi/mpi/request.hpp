#pragma once
/// \file
/// Requests: what the program has started and not yet waited for (MPI-3.1, sections 3.7, 3.9, 5.12 and 12.2).

#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/progress.hpp"
#include "vm/abi/mpi/status.hpp"

namespace nasvm::mpi {

enum class Mode : std::uint8_t { standard, buffered, synchronous, ready };

/// A send or receive as the program has described it.
struct MessageCall {
  void* buffer = nullptr;  ///< a send never writes through it
  int count = 0;
  Datatype* type = nullptr;
  int peer = proc_null;
  int tag = 0;
  Communicator* comm = nullptr;
};
/// Fail where the description is wrong.
void check_send(const MessageCall& call);
void check_receive(const MessageCall& call);

struct Request : Object {
  enum class Work : std::uint8_t { nothing, send, receive, job, program };

  Request() : Object(Kind::request) {}
  explicit Request(int number) : Object(Kind::request, number) {}
  ~Request();

  /// Nothing has to be waited for any more.
  [[nodiscard]] bool is_complete() const {
    if (!active || looked_at) return true;
    if (work == Work::send || work == Work::receive) {
      return (operation.complete || cancelled) && (sending == nullptr || sending->is_complete());
    }
    if (work == Work::job) return Progress::is_done(*job);
    return work == Work::nothing || done;
  }
  /// Says what came, and leaves the request inactive. Only once it is complete. Returns the error, if any.
  int finish(MessageStatus& status);

  // Many are made and gone in a program's life.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;

  Work work = Work::nothing;
  Mode mode = Mode::standard;
  bool persistent = false;
  bool active = false;
  bool cancelled = false;
  Operation operation;
  MessageCall message;  ///< of persistent ones, to be started again
  Ref<Communicator> comm;
  Ref<Datatype> type;
  std::optional<Outgoing> out;
  Incoming in;
  std::vector<std::byte> claimed;  ///< where a message is that a probe has taken (MPI_Mprobe)
  std::size_t buffered_bytes = 0;  ///< of the program's buffer (MPI_Buffer_attach) that it takes
  MessageStatus status;            ///< of what is complete from the start, or has been looked at
  bool looked_at = false;          ///< MPI_Request_get_status has finished it already
  int code = success;              ///< what that has found
  std::shared_ptr<Progress::Job> job;
  std::function<void()> body;                     ///< of a persistent collective
  std::vector<std::shared_ptr<const void>> kept;  ///< memory of the face's that it reads
  Request* sending = nullptr;                     ///< the other half of a send and receive

  // A request of the program's own.
  bool done = false;
  UserFunction query, free, cancel;
  void* extra_state = nullptr;
};

/// Stands for what comes from nobody (MPI_MESSAGE_NO_PROC).
Request& message_from_nobody();

/// Fill a new request and start it; a persistent one is only filled.
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
/// Frees what is complete of the requests that the program has given up; with `all`, waits for them.
void sweep_orphans(bool all);

/// A tag as Comm has it.
inline Tag wanted_tag(int tag) { return tag == mpi_any_tag ? any_tag : tag; }

inline void set(MessageStatus* status, const MessageStatus& value) {
  if (status == nullptr) return;
  const int error = status->error;  // only calls that complete several requests set it (MPI-3.1, 3.2.5)
  *status = value;
  status->error = error;
}

}  // namespace nasvm::mpi
