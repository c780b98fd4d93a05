#pragma once
/// \file
/// What a task does with the order that the console gave it, whoever has started the task.

#include <string>

#include "vm/comm.hpp"

namespace nasvm {

/// Carries out an order of any kind (task_report.hpp) in the task of `comm` (the world) on `host`; returns the report
/// for the console. Throws UsageError when the order is not known here.
std::string carry_out_order(const std::string& order, Comm& comm, const std::string& host);

}  // namespace nasvm
