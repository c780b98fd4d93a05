#include "harness/kernel_runs/farm_task.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "harness/kernel_runs/task_report.hpp"
#include "harness/session/order.hpp"
#include "vm/farm/farm.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

struct WorkerOrder {
  TaskOrder leaders;
};

void describe(Fields& fields, WorkerOrder& order) {
  describe_kind(fields, order_kind_worker);
  fields.part("leaders", order.leaders);
}

const FarmedWork& work_of(const TaskOrder& order) { return *kernel_of(order).variant(order.problem.variant).farmed; }

auto compute_of(const TaskOrder& order) {
  return [&work = work_of(order), &problem = order.problem](const farm::Units& units) {
    return work.compute(problem, units.first, units.count);
  };
}

std::string report_text(Task& task, const TaskOrder& order, Rank rank, const Outcome& outcome) {
  const auto method_of = [](Rank) { return transport_for(TransportRole::packed).name; };
  TaskReport report = make_task_report(outcome, task.host(task.comm().rank()), method_of);
  report.sent_to = pairs_from(rank, outcome.communication, order.peers_named);
  return text_of_record(report);
}

NamedTexts details_of(const farm::Harvest& harvest, const TaskOrder& order) {
  NamedTexts details{{"spawning", fmt::format("{:.3f} s", harvest.spawn_s)},
                     {"units", std::to_string(work_of(order).units(order.problem))},
                     {"units computed twice", std::to_string(harvest.units_again)}};
  if (harvest.lost > 0) details.emplace_back(workers_lost, std::to_string(harvest.lost));
  return details;
}

}  // namespace

bool is_farmed(std::string_view order_text) {
  if (order_kind(order_text) != order_kind_kernel) return false;
  const auto order = record_of_text<TaskOrder>(order_text);
  return kernel_of(order).variant(order.problem.variant).farmed != nullptr;
}

std::string lead_farm(Task& task) {
  const auto order = record_of_text<TaskOrder>(task.setup());
  const FarmedWork& farmed = work_of(order);
  const farm::Work work{farmed.units(order.problem), compute_of(order)};
  const farm::Harvest harvest = farm::lead(task, work, order.workers, text_of_record(WorkerOrder{order}));
  Outcome outcome = farmed.conclude(order.problem, harvest.sum);
  outcome.time_s = harvest.leader.time_s;
  outcome.communication = harvest.leader.communication;
  std::ranges::copy(details_of(harvest, order), std::back_inserter(outcome.details));
  return report_text(task, order, 0, outcome);
}

std::string serve_farm(Task& task) {
  const TaskOrder order = record_of_text<WorkerOrder>(task.setup()).leaders;
  const farm::Part part = farm::serve(task, compute_of(order));
  // Whether the result is right is the leader's to say.
  return report_text(task, order, 1 + task.comm().rank(), {true, part.time_s, part.communication, {}});
}

}  // namespace nasvm
