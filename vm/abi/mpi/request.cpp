#include "vm/abi/mpi/request.hpp"

#include <sched.h>

#include <algorithm>
#include <array>

#include "vm/abi/mpi/partitioned.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/turns.hpp"

namespace nasvm::mpi {

Request::More::More() = default;
Request::More::~More() = default;

/// Before it goes.
void Request::leave() {
  release(more_->sending);
  if (more_->buffered_bytes > 0) more_->buffer->taken_bytes -= more_->buffered_bytes;
  (void)free_of_program();
}

int Request::free_of_program() {
  if (work != Work::program || more_->free.function == nullptr) return success;
  return seam::call_free(std::exchange(more_->free, {}), more_->extra_state);
}

Request& message_from_nobody() {
  static Request request(1);
  request.word = word_of(Kind::message, 1);
  return request;
}

// --- starting
// -------------------------------------------------------------------------------------------------------

Request* describe_send(const MessageCall& call, Mode mode) {
  check_send(call);
  auto request = std::make_unique<Request>();
  request->work = Request::Work::send;
  request->mode = mode;
  request->message = call;
  request->comm = Ref<Communicator>(call.comm);
  request->type = Ref<Datatype>(call.type);
  return request.release();
}

namespace {

inline std::unique_ptr<Request> described_receive(const MessageCall& call) {
  check_receive(call);
  auto request = std::make_unique<Request>();
  request->work = Request::Work::receive;
  request->message = call;
  request->comm = Ref<Communicator>(call.comm);
  return request;
}

}  // namespace

Request* describe_receive(const MessageCall& call) {
  std::unique_ptr<Request> request = described_receive(call);
  request->type = Ref<Datatype>(call.type);
  return request.release();
}

namespace {

/// A request for a message that leaves from a copy.
std::unique_ptr<Request> copied(const MessageCall& call) {
  std::unique_ptr<Request> copy(describe_send(call, Mode::standard));
  copy->active = true;
  copy->out = std::make_unique<Outgoing>(Outgoing::copy_of(call.buffer, call.count, *call.type));
  return copy;
}

void start_copy(Request& copy) {
  const MessageCall& call = copy.message;
  const std::span<const std::byte> bytes = copy.out->bytes();
  process().statistics.sends(bytes.size());
  call.comm->messages->start_send(copy.operation, bytes, call.peer, call.tag, call.type->swap_bytes);
}

/// The communicator's own, or else that of what it comes from.
Buffer& buffer_of(Communicator& comm) {
  if (comm.buffer.is_attached) return comm.buffer;
  return comm.session && comm.session->buffer.is_attached ? comm.session->buffer : process().buffer;
}

/// Fails unless there is room. That a message has left may only be seen by a look, which goes on while it finds some.
void make_room(const Buffer& buffer, std::size_t bytes) {
  if (buffer.has_room_for(bytes)) return;
  const std::vector<Request*>& orphans = process().orphans;
  sweep_orphans(false);
  for (std::size_t before = orphans.size() + 1; !buffer.has_room_for(bytes) && orphans.size() < before;) {
    before = orphans.size();
    look();
    sweep_orphans(false);
  }
  require(buffer.has_room_for(bytes), err_buffer);
}

/// The request itself is complete at once.
void send_buffered(const MessageCall& call) {
  std::unique_ptr<Request> copy = copied(call);
  Buffer& buffer = buffer_of(*call.comm);
  const std::size_t bytes = copy->out->bytes().size() + bsend_overhead;
  make_room(buffer, bytes);
  copy->more().buffer = &buffer;
  copy->more().buffered_bytes = bytes;
  buffer.taken_bytes += bytes;
  copy->more().buffered_number = Buffer::next_number();
  start_copy(*copy);
  leave_alone(copy.release());
}

/// Where the data of a send is, which does not lie together, and where that of such a receive goes.
[[gnu::noinline]] std::span<const std::byte> gather(Request& request, const MessageCall& call) {
  call.comm->messages->time_this_call();
  request.out = std::make_unique<Outgoing>(call.buffer, call.count, *call.type);
  return request.out->bytes();
}
[[gnu::noinline]] std::span<std::byte> place_for(Request& request, const MessageCall& call) {
  call.comm->messages->time_this_call();
  request.type = Ref<Datatype>(call.type);
  request.in = std::make_unique<Incoming>(call.buffer, call.count, *call.type);
  return request.in->bytes();
}

inline void start_sending(Request& request, const MessageCall& call) {
  if (request.mode == Mode::buffered) {
    if (call.peer != proc_null) send_buffered(call);
    request.operation.complete = true;
    return;
  }
  const bool is_dense = call.type->is_dense(call.count);
  const std::span<const std::byte> bytes =
      is_dense ? call.type->dense_span(call.buffer, call.count) : gather(request, call);
  process().statistics.sends(bytes.size());
  if (call.peer == proc_null) {
    request.operation.complete = true;
    return;
  }
  request.operation.synchronous = request.mode == Mode::synchronous;
  call.comm->messages->start_send(request.operation, bytes, call.peer, call.tag, call.type->swap_bytes);
}

inline void start_receiving(Request& request, const MessageCall& call) {
  if (call.peer == proc_null) {
    request.operation.complete = true;
    return;
  }
  const bool is_dense = call.type->is_dense(call.count);
  const std::span<std::byte> into =
      is_dense ? call.type->dense_span(call.buffer, call.count) : place_for(request, call);
  request.operation.may_truncate = true;
  call.comm->messages->start_receive(request.operation, into, call.peer, wanted_tag(call.tag), call.type->swap_bytes);
}

}  // namespace

void start(Request& request) {
  request.cancelled = false;
  if (request.work == Request::Work::send) start_sending(request, request.message);
  if (request.work == Request::Work::receive) start_receiving(request, request.message);
  if (request.work == Request::Work::partitions) request.more().partitions->start();
  if (request.work == Request::Work::job) {
    Request::More& more = request.more();
    more.job = process().progress().begin(more.body, more.job_number);
    // It looks at its arguments before it first waits: what is wrong with them is this call's error, not the wait's.
    if (Progress::is_done(*more.job)) Progress::check(*more.job);
  }
  request.active = true;  // had anything gone wrong, it would not have been started
}

namespace {

/// Nothing is left to be done for it, so one serves all; it never goes.
Request* sent_request() {
  static Request& shared = *new Request;
  shared.work = Request::Work::sent;
  shared.active = true;
  ++shared.users;
  return &shared;
}

}  // namespace

Request* start_send(const MessageCall& call, Mode mode) {
  check_send(call);
  static auto& unused = *new std::unique_ptr<Request>;  // of a send that was complete at once
  std::unique_ptr<Request> request = unused != nullptr ? std::move(unused) : std::make_unique<Request>();
  request->work = Request::Work::send;
  request->mode = mode;
  request->operation.complete = false;
  start_sending(*request, call);
  if (request->operation.complete) {
    request->out.reset();
    unused = std::move(request);
    return sent_request();
  }
  request->message = call;
  request->comm = Ref<Communicator>(call.comm);
  request->active = true;
  return request.release();
}

Request* start_sending_copy(const MessageCall& call) {
  std::unique_ptr<Request> copy = copied(call);
  if (call.peer == proc_null) copy->operation.complete = true;
  else start_copy(*copy);
  return copy.release();
}

Request* start_receive(const MessageCall& call) {
  std::unique_ptr<Request> request = described_receive(call);
  request->active = true;
  start_receiving(*request, call);
  return request.release();
}

Request* describe_job(Communicator& comm, std::function<void()> body) {
  auto request = std::make_unique<Request>();
  request->work = Request::Work::job;
  request->comm = Ref<Communicator>(&comm);
  request->more().body = std::move(body);
  request->more().job_number = comm.next_job();
  request->persistent = true;
  return request.release();
}

Request* start_job(Communicator& comm, std::function<void()> body) {
  std::unique_ptr<Request> request(describe_job(comm, std::move(body)));
  request->persistent = false;
  start(*request);
  return request.release();
}

// --- finishing
// ------------------------------------------------------------------------------------------------------

namespace {

/// Brings a message, of which so many bytes have come, to where the program wants it, unless it is there. Returns for
/// how many there is room.
[[gnu::noinline]] std::size_t bring_home(Request& request, std::size_t came) {
  const MessageCall& call = request.message;
  if (came > 0 && request.has_more() && request.more().claimed.size() == came) {
    const std::size_t room = call.type->bytes * static_cast<std::size_t>(call.count);
    unpack(*call.type, call.buffer, call.count, std::span(request.more().claimed).first(std::min(came, room)));
    return room;
  }
  if (!request.in) return request.operation.bytes;
  const std::size_t room = request.in->bytes().size();
  call.comm->messages->time_this_call();
  request.in->finish(std::min(came, room));
  return room;
}

inline int finish_receive(Request& request, MessageStatus& status) {
  if (request.cancelled) {
    status = empty_status;
    status.cancelled = 1;
    return success;
  }
  if (request.message.peer == proc_null) {
    status = status_of_nobody;
    return success;
  }
  const Status came = request.message.comm->messages->finish_receive(request.operation);
  const std::size_t room =
      request.in || request.has_more() ? bring_home(request, came.bytes) : request.operation.bytes;
  status = {came.source, came.tag, success, 0, std::min(came.bytes, room)};
  return came.bytes > room ? err_truncate : success;
}

int finish_job(Request& request) {
  const std::shared_ptr<Progress::Job> job = std::move(request.more().job);
  try {
    Progress::check(*job);
  } catch (const Failure& failure) {
    return failure.code;
  }
  return success;
}

int finish_program(Request& request, MessageStatus& status) {
  return seam::call_query(request.more().query, request.more().extra_state, status);
}

}  // namespace

bool Request::is_through() {
  if (!active || looked_at) return true;
  switch (work) {
    case Work::send:
    case Work::receive:
      return (operation.complete || cancelled) && (sending() == nullptr || sending()->is_complete());
    case Work::job:
      return Progress::is_done(*more().job);
    case Work::flush:
      return awaited() == nullptr;
    case Work::partitions:
      return more().partitions->is_complete();
    case Work::program:
      return done;
    default:
      return true;
  }
}

Operation* Request::awaited() {
  if (work == Work::partitions) return more().partitions->awaited();
  std::size_t end = process().orphans.size();
  Request* const last = buffer()->last_message(more().buffered_number, end);
  return last == nullptr ? nullptr : &last->operation;
}

int Request::finish(MessageStatus& what) {
  if (work == Work::sent) {
    what = empty_status;
    return success;
  }
  active = false;
  return work == Work::receive && !looked_at ? finish_receive(*this, what) : finish_other(what);
}

int Request::finish_other(MessageStatus& what) {
  if (std::exchange(looked_at, false)) {
    what = more().status;
    return more().code;
  }
  what = empty_status;
  switch (work) {
    case Work::nothing:
      what = more().status;
      return success;
    case Work::flush:
      return success;
    case Work::partitions:
      return more().partitions->finish(what);
    case Work::send:
      out.reset();
      return success;
    case Work::job:
      return finish_job(*this);
    case Work::program:
      return finish_program(*this, what);
    case Work::sent:
    case Work::receive:
      break;  // `finish` has done that
  }
  return err_intern;
}

int take(Request*& request, MessageStatus& status) {
  int code = request->finish(status);
  if (request->work == Request::Work::program) {
    const int freed = request->free_of_program();
    if (code == success) code = freed;
  }
  if (!request->persistent) release(request);
  return code;
}

void wait_some(std::span<Request* const> requests) {
  std::array<Operation*, 64> few;  // NOLINT(*-member-init): as many are filled as are used
  std::vector<Operation*> many;
  if (requests.size() > few.size()) many.resize(requests.size());
  const std::span<Operation*> operations = many.empty() ? std::span(few) : std::span(many);
  std::size_t used = 0;
  bool has_jobs = false;
  bool has_program = false;
  for (Request* request : requests) {
    if (!is_live(request)) continue;
    if (request->is_complete()) return;
    if (request->work == Request::Work::job) {
      has_jobs = true;
    } else if (request->work == Request::Work::program ||
               (request->work == Request::Work::flush && turns().shared())) {
      has_program = true;
    } else if (request->work == Request::Work::flush || request->work == Request::Work::partitions) {
      operations[used] = request->awaited();
      // Of a partitioned send the program may have to say first that more is ready.
      if (operations[used] == nullptr) has_program = true;
      else ++used;
    } else {
      const bool receive_is_over = request->operation.complete || request->cancelled;
      operations[used++] = receive_is_over ? &request->sending()->operation : &request->operation;
    }
  }
  if (has_program) return look();
  if (has_jobs) return process().progress().wait_some(operations.first(used));
  if (used > 0) process().world().messages->wait_for_any(operations.first(used));
}

namespace {

[[gnu::noinline]] void wait_until_complete(Request& request) {
  Request* waited = &request;
  while (!request.is_complete()) {
    if (request.is_message()) {
      Operation* const operation = &request.operation;
      process().world().messages->wait_for_any(std::span(&operation, 1));
    } else {
      wait_some(std::span(&waited, 1));
    }
  }
}

}  // namespace

int wait(Request*& request, MessageStatus& status) {
  if (!is_live(request)) {
    status = empty_status;
    return success;
  }
  // What that holds may be long to wait for, to unpack, or the program's to finish. Messages are timed where they
  // wait.
  if (request->has_more()) process().world().messages->time_this_call();
  if (!request->is_complete()) wait_until_complete(*request);
  return take(request, status);
}

void look() {
  // A program that asks again and again takes the core from whom it waits for, where there are not enough.
  static unsigned asked = 0;
  process().progress().progress();
  if (turns().shared()) return process().progress().let_others_in(0);
  if (++asked % 32 == 0) ::sched_yield();
}

namespace {

/// Of one that is complete, and that nobody waits for.
void give_up(Request*& request) {
  // Nobody gets its status, so the program is not asked for it (MPI-3.1, section 12.2): it only frees what it keeps.
  if (request->work == Request::Work::program) return release(request);
  MessageStatus ignored;
  (void)take(request, ignored);
}

/// When there are so many orphans, it is time to look for complete ones: twice as many as the last look has left, so
/// that each is looked at a few times, however many there are.
constexpr std::size_t least_to_sweep = 32;
std::size_t next_sweep = least_to_sweep;

/// False: another look has taken it.
bool take_out(std::vector<Request*>& orphans, const Request* request) {
  const auto found = std::ranges::find(orphans.rbegin(), orphans.rend(), request);  // as a rule it is the last
  if (found == orphans.rend()) return false;
  orphans.erase(std::next(found).base());
  return true;
}

}  // namespace

void leave_alone(Request* request) {
  if (request->is_complete()) return give_up(request);
  process().orphans.push_back(request);
  if (process().orphans.size() >= next_sweep) sweep_orphans(false);
}

void sweep_orphans(bool all) {
  std::vector<Request*>& orphans = process().orphans;
  // What the program's functions call may sweep, too, and make others: one that is taken is no orphan any more.
  if (all) {
    while (!orphans.empty()) {
      Request* request = orphans.back();
      const bool waits = !request->has_more() || !request->more().may_stay;
      if (waits && !request->is_complete()) wait_until_complete(*request);
      if (take_out(orphans, request) && waits) give_up(request);
    }
    return;
  }
  const auto complete = std::ranges::stable_partition(orphans, [](Request* one) { return !one->is_complete(); });
  std::vector<Request*> taken(complete.begin(), complete.end());
  orphans.erase(complete.begin(), complete.end());
  next_sweep = std::max(least_to_sweep, 2 * orphans.size());
  for (Request*& request : taken) give_up(request);
}

}  // namespace nasvm::mpi
