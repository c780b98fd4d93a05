#pragma once
/// \file
/// The columns that say which case a row is about.

#include <functional>
#include <string>

#include "harness/kernel_runs/run_cases.hpp"
#include "harness/report/columns.hpp"

namespace nasvm {

/// Kernel, class, number of tasks and transport; `run_of(item)` is a run of the item's case.
template <typename Item, typename RunOf>
ColumnsOf<Item> case_columns(RunOf run_of) {
  const auto cell = [run_of](auto text) {
    return
        [run_of, text](const Item& item) { return text(static_cast<const RunRecord&>(std::invoke(run_of, item))); };
  };
  return {{{"Kernel", "", Align::left}, cell([](const RunRecord& run) { return kernel_title(run); })},
          {{"Class", "", Align::left}, cell([](const RunRecord& run) { return std::string(1, run.problem_class); })},
          {{"NP", ""}, cell(tasks_text)},
          {{"Transport", "", Align::left}, cell([](const RunRecord& run) { return run.transport; })}};
}

}  // namespace nasvm
