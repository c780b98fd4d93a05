#pragma once
/// \file
/// Two components that compute side by side, such as an atmosphere and an ocean: each exchanges halos within itself
/// in every step, and every two steps of the atmosphere, which are one of the ocean, the two exchange fields. The
/// first two thirds of the tasks are the atmosphere (16 of 24 in the paper).
///
/// Source: Foster, Geisler, Kesselman and Tuecke, "Managing Multiple Communication Methods in High-Performance
/// Networked Computing Systems", section 5.3 and Figure 9.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vm/comm.hpp"

namespace nasvm {

inline constexpr int coupled_least_tasks = 3;
inline constexpr std::uint64_t coupled_least_bytes = 16;  ///< of a halo: it says whose it is, and of which step
inline constexpr std::uint64_t halos_in_field = 4;        ///< lengths

constexpr int atmosphere_tasks(int tasks) { return tasks * 2 / 3; }
constexpr bool is_atmosphere(Rank rank, int tasks) { return rank < atmosphere_tasks(tasks); }

class CoupledModel {
 public:
  /// `meeting`: called with true before the components exchange fields, and with false after it.
  CoupledModel(Comm& comm, std::uint64_t halo_bytes, std::function<void(bool)> meeting);

  /// One step of the ocean. All tasks call it; blocks.
  void step();
  /// Messages of others' steps or tasks that have arrived, a line each.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }
  /// Tasks of the other component with which this one exchanges fields.
  [[nodiscard]] const std::vector<Rank>& partners() const { return partners_; }

 private:
  struct Exchange {
    Rank peer = 0;
    std::vector<std::byte> out, in;
  };

  void step_alone();
  void compute();
  void exchange(std::vector<Exchange>& exchanges, std::int64_t label);

  Comm& comm_;
  std::function<void(bool)> meeting_;
  std::vector<Rank> partners_;
  std::vector<Exchange> halos_, fields_;
  std::vector<double> grid_;
  std::int64_t steps_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace nasvm
