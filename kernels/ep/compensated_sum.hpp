#pragma once
/// \file
/// A sum that carries the rounding errors along, so that adding millions of batches costs no digits: in class F
/// 10^13 deviates add up to about -20. Source: A. Neumaier, "Rundungsfehleranalyse einiger
/// Verfahren zur Summation endlicher Summen", ZAMM 54 (1974).

#include <cmath>

namespace nasvm::ep {

class CompensatedSum {
 public:
  void add(double value) {
    const double sum = sum_ + value;
    lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    sum_ = sum;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace nasvm::ep
