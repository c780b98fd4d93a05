// MPI-3.1, sections 3.7 and 3.8: waiting, testing, cancelling; statuses.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "mpi_api.hpp"
#include "vm/abi/mpi/process.hpp"
#include "vm/abi/mpi/request.hpp"

namespace nasvm::mpi::api {
namespace {

/// An error of one request is told with its own communicator's handler.
void check(int code, const Ref<Communicator>& comm) {
  if (code != success) fail(code, comm);
}

std::span<Request*> span_of(Request** requests, int count) {
  require(count >= 0, err_count);
  return {requests, static_cast<std::size_t>(count)};
}

bool any_live(std::span<Request*> requests) { return std::ranges::any_of(requests, is_live); }

/// What several requests came to: of a call that fails, each status has its error, or that there was none.
class Codes {
 public:
  /// Of the next one, whose status is set already.
  void add(int code, const Ref<Communicator>& comm) {
    ++count_;
    if (code == success) return;
    if (codes_.empty()) {
      cause_ = code;
      failed_ = comm;
    }
    codes_.resize(count_, success);
    codes_.back() = code;
  }
  /// Fails where one has.
  void check_all(MessageStatus* statuses) {
    if (codes_.empty()) return;
    codes_.resize(count_, success);
    for (std::size_t i = 0; statuses != nullptr && i < count_; ++i) statuses[i].error = codes_[i];
    fail(err_in_status, failed_, cause_);
  }

 private:
  std::size_t count_ = 0;
  std::vector<int> codes_;    ///< up to the last that has failed
  int cause_ = success;       ///< the first one's code
  Ref<Communicator> failed_;  ///< the first one's
};

void take_all(std::span<Request*> requests, MessageStatus* statuses) {
  Codes codes;
  Ref<Communicator> comm;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MessageStatus status;
    int code = success;
    if (is_live(requests[i])) {
      if (comm.get() != requests[i]->comm.get()) comm = requests[i]->comm;
      code = mpi::wait(requests[i], status);
    }
    if (statuses != nullptr) set(&statuses[i], status);
    codes.add(code, comm);
  }
  codes.check_all(statuses);
}

/// The first that is complete, if any; undefined where there is none.
int find_complete(std::span<Request*> requests) {
  const auto found = std::ranges::find_if(requests, [](Request* one) { return is_live(one) && one->is_complete(); });
  return found == requests.end() ? undefined : static_cast<int>(found - requests.begin());
}

void take_one(std::span<Request*> requests, int index, MessageStatus* status) {
  Request*& request = requests[static_cast<std::size_t>(index)];
  const Ref<Communicator> comm = request->comm;
  MessageStatus came;
  const int code = take(request, came);
  set(status, came);
  check(code, comm);
}

void take_complete(std::span<Request*> requests, int* outcount, int* indices, MessageStatus* statuses) {
  Codes codes;
  *outcount = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!is_live(requests[i]) || !requests[i]->is_complete()) continue;
    const Ref<Communicator> comm = requests[i]->comm;
    MessageStatus status;
    codes.add(take(requests[i], status), comm);
    if (statuses != nullptr) set(&statuses[*outcount], status);
    indices[(*outcount)++] = static_cast<int>(i);
  }
  codes.check_all(statuses);
}

}  // namespace

void wait(Request*& request, MessageStatus* status) {
  if (!is_live(request)) return set(status, empty_status);
  const Ref<Communicator> comm = request->comm;
  MessageStatus came;
  const int code = mpi::wait(request, came);
  set(status, came);
  check(code, comm);
}

void waitall(int count, Request** requests, MessageStatus* statuses) { take_all(span_of(requests, count), statuses); }

void waitany(int count, Request** requests, int* index, MessageStatus* status) {
  const std::span<Request*> all = span_of(requests, count);
  *index = undefined;
  if (!any_live(all)) return set(status, empty_status);
  while ((*index = find_complete(all)) == undefined) wait_some(all);
  take_one(all, *index, status);
}

// The count is set before anything fails: Fortran's procedures go by it in any case.

void waitsome(int incount, Request** requests, int* outcount, int* indices, MessageStatus* statuses) {
  *outcount = undefined;
  const std::span<Request*> all = span_of(requests, incount);
  if (!any_live(all)) return;
  while (find_complete(all) == undefined) wait_some(all);
  take_complete(all, outcount, indices, statuses);
}

void test(Request*& request, int* flag, MessageStatus* status) {
  *flag = 1;
  if (!is_live(request)) return set(status, empty_status);
  if (!request->is_complete()) look();
  if (!request->is_complete()) {
    *flag = 0;
    return;
  }
  wait(request, status);
}

void testall(int count, Request** requests, int* flag, MessageStatus* statuses) {
  const std::span<Request*> all = span_of(requests, count);
  const auto is_pending = [](Request* one) { return is_live(one) && !one->is_complete(); };
  if (std::ranges::any_of(all, is_pending)) look();
  *flag = std::ranges::none_of(all, is_pending) ? 1 : 0;
  if (*flag != 0) take_all(all, statuses);
}

void testany(int count, Request** requests, int* index, int* flag, MessageStatus* status) {
  const std::span<Request*> all = span_of(requests, count);
  *index = undefined;
  *flag = 1;
  if (!any_live(all)) return set(status, empty_status);
  if (find_complete(all) == undefined) look();
  *index = find_complete(all);
  *flag = *index != undefined ? 1 : 0;
  if (*flag != 0) take_one(all, *index, status);
}

void testsome(int incount, Request** requests, int* outcount, int* indices, MessageStatus* statuses) {
  *outcount = undefined;
  const std::span<Request*> all = span_of(requests, incount);
  if (!any_live(all)) return;
  if (find_complete(all) == undefined) look();
  take_complete(all, outcount, indices, statuses);
}

void request_free(Request*& request) {
  require(request != nullptr, err_request);
  const bool is_over = request->work == Request::Work::nothing || request->work == Request::Work::sent;
  if (!request->active || is_over) return release(request);
  request->persistent = false;
  leave_alone(std::exchange(request, nullptr));
}

namespace {

/// Of one that is complete: its message is taken now, and it is as if it had been complete from the start. Returns
/// the error, if any.
int look_at(Request& request, MessageStatus* status) {
  if (request.work == Request::Work::sent) {  // which others share
    set(status, empty_status);
    return success;
  }
  MessageStatus came;
  request.more().code = request.finish(came);
  request.more().status = came;
  request.looked_at = true;
  request.active = true;
  set(status, came);
  return request.more().code;
}

bool is_pending(Request* one) { return is_live(one) && !one->is_complete(); }

std::span<Request* const> given(int count, Request* const* requests) {
  require(count >= 0, err_count);
  return {requests, static_cast<std::size_t>(count)};
}

}  // namespace

void request_get_status(Request* request, int* flag, MessageStatus* status) {
  *flag = 1;
  if (!is_live(request)) return set(status, empty_status);
  if (is_pending(request)) look();
  *flag = is_pending(request) ? 0 : 1;
  if (*flag != 0) check(look_at(*request, status), request->comm);
}

void request_get_status_any(int count, Request* const* requests, int* index, int* flag, MessageStatus* status) {
  const auto all = given(count, requests);
  *index = undefined;
  *flag = 1;
  if (std::ranges::none_of(all, is_live)) return set(status, empty_status);
  const auto is_there = [](Request* one) { return is_live(one) && one->is_complete(); };
  auto found = std::ranges::find_if(all, is_there);
  if (found == all.end()) {
    look();
    found = std::ranges::find_if(all, is_there);
  }
  *flag = found != all.end() ? 1 : 0;
  if (*flag == 0) return;
  *index = static_cast<int>(found - all.begin());
  check(look_at(**found, status), (*found)->comm);
}

void request_get_status_all(int count, Request* const* requests, int* flag, MessageStatus* statuses) {
  const auto all = given(count, requests);
  if (std::ranges::any_of(all, is_pending)) look();
  *flag = std::ranges::any_of(all, is_pending) ? 0 : 1;
  if (*flag == 0) return;
  Codes codes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    MessageStatus* const status = statuses != nullptr ? &statuses[i] : nullptr;
    if (is_live(all[i])) {
      codes.add(look_at(*all[i], status), all[i]->comm);
    } else {
      set(status, empty_status);
      codes.add(success, {});
    }
  }
  codes.check_all(statuses);
}

void request_get_status_some(int incount, Request* const* requests, int* outcount, int* indices,
                             MessageStatus* statuses) {
  *outcount = undefined;
  const auto all = given(incount, requests);
  if (std::ranges::none_of(all, is_live)) return;
  *outcount = 0;
  if (std::ranges::all_of(all, [](Request* one) { return !is_live(one) || is_pending(one); })) look();
  Codes codes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_live(all[i]) || is_pending(all[i])) continue;
    codes.add(look_at(*all[i], statuses != nullptr ? &statuses[*outcount] : nullptr), all[i]->comm);
    indices[(*outcount)++] = static_cast<int>(i);
  }
  codes.check_all(statuses);
}

void cancel(Request*& request) {
  require(request != nullptr, err_request);
  if (!request->active) return;
  if (request->work == Request::Work::receive && !request->operation.complete && request->message.peer != proc_null) {
    request->cancelled = request->message.comm->messages->cancel(request->operation);
  }
  if (request->work == Request::Work::program) {
    const int code = seam::call_cancel(request->more().cancel, request->more().extra_state, request->done);
    if (code != success) fail(code);
  }
}

void test_cancelled(const MessageStatus* status, int* flag) { *flag = status->cancelled; }

void get_count(const MessageStatus* status, Datatype* datatype, int* count) {
  check_type(datatype);
  const std::ptrdiff_t whole = whole_count(*datatype, status->bytes);
  *count = whole > greatest_tag ? undefined : static_cast<int>(whole);
}

void get_elements_x(const MessageStatus* status, Datatype* datatype, long long* count) {
  check_type(datatype);
  *count = element_count(*datatype, status->bytes);
}

void get_elements(const MessageStatus* status, Datatype* datatype, int* count) {
  long long elements_found = 0;
  get_elements_x(status, datatype, &elements_found);
  *count = elements_found > greatest_tag ? undefined : static_cast<int>(elements_found);
}

void status_set_cancelled(MessageStatus* status, int flag) { status->cancelled = flag; }

void status_set_elements_x(MessageStatus* status, Datatype* datatype, long long count) {
  check_type(datatype);
  status->bytes = bytes_of_elements(*datatype, count);
}

void status_set_elements(MessageStatus* status, Datatype* datatype, int count) {
  status_set_elements_x(status, datatype, count);
}

void grequest_start(const UserFunction& query, const UserFunction& free, const UserFunction& cancel,
                    void* extra_state, Request*& request) {
  request = new Request;
  request->work = Request::Work::program;
  request->active = true;
  Request::More& more = request->more();
  more.query = query;
  more.free = free;
  more.cancel = cancel;
  more.extra_state = extra_state;
}

void grequest_complete(Request* request) {
  require(request != nullptr && request->work == Request::Work::program, err_request);
  request->done = true;
  sweep_orphans(false);  // of one that was freed before, this is the end
}

}  // namespace nasvm::mpi::api
