#pragma once
/// \file
/// What stands around every call of a Comm: its time, and the context of its messages.

#include "vm/comm.hpp"
#include "vm/metrics/clock.hpp"

namespace nasvm {

class Comm::Call {
 public:
  explicit Call(Comm& comm) : depth_(*comm.call_depth_), shared_(*comm.shared_) {
    if (depth_++ == 0) {
      ++shared_.counters.calls;
      begin_ = ticks_now();
    }
  }
  ~Call() {
    if (--depth_ == 0) shared_.counters.communication += ticks_now() - begin_;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  int& depth_;
  Shared& shared_;
  Ticks begin_ = 0;
};

class Comm::Collective {
 public:
  explicit Collective(Comm& comm) : call_(comm), comm_(comm) { ++comm_.in_collective_; }
  ~Collective() { --comm_.in_collective_; }
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;

 private:
  Call call_;
  Comm& comm_;
};

}  // namespace nasvm
