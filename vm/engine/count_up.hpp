#pragma once
/// \file
/// Counts one who waits, also when the wait ends by an exception.

namespace nasvm::engine {

class CountUp {
 public:
  explicit CountUp(int& count) : count_(count) { ++count_; }
  ~CountUp() { --count_; }
  CountUp(const CountUp&) = delete;
  CountUp& operator=(const CountUp&) = delete;

 private:
  int& count_;
};

}  // namespace nasvm::engine
