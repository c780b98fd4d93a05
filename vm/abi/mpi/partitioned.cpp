#include "vm/abi/mpi/partitioned.hpp"

#include <algorithm>

#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi {
namespace {

/// Tags that stand for the program's: no collective has negative ones, and none is any_tag.
Tag tag_for(int tag) { return -2 - std::min(tag, greatest_tag - 1); }

/// Descriptions are between tasks of one byte order, or swapped as their integers are.
constexpr std::uint8_t description_element_bytes = sizeof(std::int64_t);

}  // namespace

Partitions::Partitions(const MessageCall& call, int count, bool sends)
    : call_(call), comm_(call.comm), type_(call.type), count_(count), sends_(sends) {
  if (call.peer == proc_null) return;
  if (sends) tell_receiver();
  else hear_of_sender();
}

Partitions::~Partitions() {
  if (sends_ || call_.peer == proc_null || description_operation_.complete) return;
  if (comm_->hidden().cancel(description_operation_)) return;
  // It is on its way.
  Operation* const waited[] = {&description_operation_};
  while (!description_operation_.complete) comm_->hidden().wait_for_any(waited);
}

std::size_t Partitions::bytes_of_one() const { return call_.type->bytes * static_cast<std::size_t>(call_.count); }

char* Partitions::address_of(int partition) const {
  return static_cast<char*>(call_.buffer) + call_.type->extent() * call_.count * partition;
}

void Partitions::tell_receiver() {
  description_ = {count_, static_cast<std::int64_t>(bytes_of_one()), comm_->claim_hidden_tags(count_)};
  parts_.resize(static_cast<std::size_t>(count_));
  // The request may be gone before the receiver has come: a copy leaves, as a request that nobody waits for.
  auto copy = std::make_unique<Request>();
  copy->work = Request::Work::send;
  copy->active = true;
  copy->comm = comm_;
  copy->more().may_stay = true;  // a receiver that never comes is no error
  copy->out = std::make_unique<Outgoing>(Outgoing::copy_of(&description_, sizeof description_, predefined_type(1)));
  comm_->hidden().start_send(copy->operation, copy->out->bytes(), call_.peer, tag_for(call_.tag),
                             description_element_bytes);
  leave_alone(copy.release());
}

void Partitions::hear_of_sender() {
  comm_->hidden().start_receive(description_operation_, std::as_writable_bytes(std::span(&description_, 1)),
                                call_.peer, tag_for(call_.tag), description_element_bytes);
}

void Partitions::start() {
  is_posted_ = false;
  for (Part& part : parts_) part.is_started = false;
  if (!sends_) receive();
}

void Partitions::receive() {
  in_.emplace(call_.buffer, static_cast<std::ptrdiff_t>(call_.count) * count_, *call_.type);
  if (call_.peer == proc_null) return;
  if (is_known()) return post();
  const auto wait_and_post = [this] {
    Operation* const waited[] = {&description_operation_};
    while (!is_known()) comm_->hidden().wait_for_any(waited);
    post();
  };
  waiting_ = process().progress().begin(wait_and_post, ~0U);
}

void Partitions::ready(int partition) {
  require(sends_, err_request);
  require(partition >= 0 && partition < count_, err_arg);
  if (call_.peer == proc_null) return;
  Part& part = parts_[static_cast<std::size_t>(partition)];
  require(!part.is_started, err_arg);
  part.is_started = true;
  part.out.emplace(address_of(partition), call_.count, *call_.type);
  process().statistics.sends(part.out->bytes().size());
  comm_->hidden().start_send(part.operation, part.out->bytes(), call_.peer,
                             static_cast<Tag>(description_.first_tag) + partition, call_.type->swap_bytes);
}

void Partitions::post() {
  if (is_posted_ || !is_known()) return;
  is_posted_ = true;
  const auto bytes = static_cast<std::size_t>(description_.bytes);
  fits_ = bytes * static_cast<std::size_t>(description_.count) == in_->bytes().size();
  if (!fits_) return;
  parts_.resize(static_cast<std::size_t>(description_.count));
  Tag tag = static_cast<Tag>(description_.first_tag);
  std::span<std::byte> rest = in_->bytes();
  for (Part& part : parts_) {
    part.is_started = true;
    comm_->hidden().start_receive(part.operation, rest.first(bytes), call_.peer, tag++, call_.type->swap_bytes);
    rest = rest.subspan(bytes);
  }
}

bool Partitions::has_arrived(int partition) {
  require(!sends_, err_request);
  require(partition >= 0 && partition < count_, err_arg);
  if (call_.peer == proc_null) return true;
  post();
  if (!is_posted_) return false;
  if (!fits_ || parts_.empty()) return true;
  const std::size_t own = bytes_of_one(), theirs = static_cast<std::size_t>(description_.bytes);
  const std::size_t begin = own * static_cast<std::size_t>(partition);
  const std::size_t first = theirs == 0 ? 0 : begin / theirs;
  for (std::size_t i = first; i < parts_.size() && (theirs == 0 || i * theirs < begin + own); ++i) {
    if (!parts_[i].operation.complete) return false;
  }
  if (!in_->is_in_place()) {
    unpack(*call_.type, address_of(partition), call_.count, in_->bytes().subspan(begin, own));
  }
  return true;
}

Operation* Partitions::awaited() {
  if (call_.peer == proc_null) return nullptr;
  if (!is_known()) return &description_operation_;
  if (!sends_) post();
  const auto found =
      std::ranges::find_if(parts_, [](const Part& part) { return part.is_started && !part.operation.complete; });
  return found == parts_.end() ? nullptr : &found->operation;
}

bool Partitions::is_complete() {
  if (call_.peer == proc_null) return true;
  if (waiting_ != nullptr && !Progress::is_done(*waiting_)) return false;  // it uses this until then
  if (awaited() != nullptr) return false;
  return !sends_ || std::ranges::all_of(parts_, [](const Part& part) { return part.is_started; });
}

int Partitions::finish(MessageStatus& status) {
  for (Part& part : parts_) part.out.reset();
  if (sends_) return success;
  if (call_.peer == proc_null) {
    status = status_of_nobody;
    return success;
  }
  if (waiting_ != nullptr) Progress::check(*waiting_);
  if (!fits_) return err_truncate;
  for (Part& part : parts_) (void)comm_->hidden().finish_receive(part.operation);
  status = {call_.peer, call_.tag, success, 0, in_->bytes().size()};
  in_->finish();
  return success;
}

}  // namespace nasvm::mpi
