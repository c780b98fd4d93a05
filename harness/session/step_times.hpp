#pragma once
/// \file
/// How long the steps of a session will still take, by how long others took. Seconds.

#include <map>
#include <optional>
#include <span>
#include <string>

namespace nasvm {

class StepTimes {
 public:
  /// A step has taken that long.
  void add(const std::string& step, double seconds);

  /// The sum over these steps: of each what steps of the same name took on average, else those of the same work (the
  /// name up to its last comma), else all. Nothing as long as nothing is known.
  [[nodiscard]] std::optional<double> estimate_s(std::span<const std::string> steps) const;

 private:
  struct Mean {
    double sum_s = 0;
    int count = 0;
    void add(double seconds) { sum_s += seconds, ++count; }
    [[nodiscard]] double value() const { return sum_s / count; }
  };

  [[nodiscard]] double one_s(const std::string& step) const;

  std::map<std::string, Mean> by_name_;
  std::map<std::string, Mean> by_work_;
  Mean all_;
};

/// "4:07", "1:02:03".
std::string duration_text(double seconds);

}  // namespace nasvm
