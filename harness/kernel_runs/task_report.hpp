#pragma once
/// \file
/// What the harness tells the tasks of a run, and what each of them reports back: texts that travel through the
/// virtual machine.

#include <map>
#include <string>
#include <string_view>

#include "harness/document/document.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

class Comm;

/// Kinds of orders: which of those that are made for tasks is meant.
inline constexpr std::string_view order_kind_kernel = "kernel";    ///< TaskOrder
inline constexpr std::string_view order_kind_p2p = "p2p";          ///< P2pOrder (harness/p2p/order.hpp)
inline constexpr std::string_view order_kind_methods = "methods";  ///< nothing but its kind (harness/hosts/)

/// The order that asks tasks for their methods.
std::string methods_order();

/// The kind of any order.
std::string order_kind(std::string_view text);

/// The kernel that a task is to run.
struct TaskOrder {
  std::string kernel;
  Problem problem;

  [[nodiscard]] std::string to_text() const;
  static TaskOrder from_text(std::string_view text);
};

/// What it has done.
struct TaskReport {
  bool verified = false;
  double time_s = 0;
  RankRecord communication;
  std::map<std::string, MethodRecord> sent_by_method;
  std::vector<std::pair<std::string, std::string>> details;

  [[nodiscard]] std::string to_text() const;
  static TaskReport from_text(std::string_view text);
};

/// Does what the text of an order says. Throws UsageError when it names a kernel that is not there.
Outcome run_kernel_order(std::string_view order_text, Comm& comm);

/// The report of the task of `comm` (the world) on `host`.
TaskReport make_task_report(const Comm& comm, const std::string& host, const Outcome& outcome);

}  // namespace nasvm
