#include "harness/orders.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/commands/mcast/order.hpp"
#include "harness/commands/mcast/task.hpp"
#include "harness/commands/p2p/order.hpp"
#include "harness/commands/p2p/task.hpp"
#include "harness/kernel_runs/task_report.hpp"
#include "harness/session/order.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

std::string run_kernel(const std::string& order, Comm& comm, const std::string& host) {
  return text_of_record(run_kernel_order(record_of_text<TaskOrder>(order), comm, host));
}

std::string run_p2p(const std::string& order, Comm& comm, const std::string&) { return measure_p2p(order, comm); }

/// What is done for each kind of order.
struct Job {
  std::string_view kind;
  std::string (*run)(const std::string& order, Comm& comm, const std::string& host);
};

std::string run_mcast(const std::string& order, Comm& comm, const std::string&) { return measure_mcast(order, comm); }

constexpr std::array jobs{Job{order_kind_kernel, run_kernel}, Job{order_kind_p2p, run_p2p},
                          Job{order_kind_mcast, run_mcast}};

}  // namespace

std::string carry_out_order(const std::string& order, Comm& comm, const std::string& host) {
  const std::string kind = order_kind(order);
  const auto job = std::ranges::find(jobs, kind, &Job::kind);
  if (job == jobs.end()) throw UsageError("there is no job \"" + kind + "\" in this program");
  return job->run(order, comm, host);
}

}  // namespace nasvm
