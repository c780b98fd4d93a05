#pragma once
/// \file
/// What stands around every call of a Comm: its time, and the context of its messages.

#include "vm/comm.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {

class Comm::Call {
 public:
  explicit Call(Comm& comm) : comm_(comm) { comm.enter_call(); }
  /// `kind`: of the quick ones.
  Call(Comm& comm, QuickCalls Shared::*kind) : comm_(comm) { comm.enter_call(&(comm.shared_.get()->*kind)); }
  ~Call() { (void)comm_.leave_call(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Comm& comm_;
};

class Comm::Collective {
 public:
  enum class Counting : bool { as_outer, none };

  /// Counting::none: its messages, and those of collectives in it, are not counted.
  explicit Collective(Comm& comm, Counting counting = Counting::as_outer)
      : call_(comm),
        comm_(comm),
        outer_(comm.change_turn(this)),
        is_silent_(counting == Counting::none || (outer_ != nullptr && outer_->is_silent_)) {}
  ~Collective() { comm_.change_turn(outer_); }
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

  [[nodiscard]] bool is_of(const Comm& comm) const {
    return &comm_ == &comm || (outer_ != nullptr && outer_->is_of(comm));
  }
  [[nodiscard]] bool is_silent() const { return is_silent_; }

 private:
  Call call_;
  Comm& comm_;
  const Collective* outer_;
  bool is_silent_;
};

}  // namespace nasvm
