#include "vm/abi/mpi/turns.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace nasvm::mpi {
namespace {

/// Rounds before a waiting thread sleeps, and how long it then does.
constexpr unsigned wakeful_rounds = 2'000;
constexpr std::chrono::microseconds nap{50};

/// Turns that this thread has taken within each other.
thread_local int depth = 0;

}  // namespace

void Turns::let_others_in(unsigned rounds) {
  mutex_.unlock();
  if (rounds < wakeful_rounds) ::sched_yield();
  else std::this_thread::sleep_for(nap);
  mutex_.lock();
}

void Turn::take() {
  if (depth++ == 0) turns().mutex_.lock();
  taken_ = true;
}

void Turn::give_back() {
  if (--depth == 0) turns().mutex_.unlock();
}

}  // namespace nasvm::mpi
