#include "harness/kernel_runs/farm_task.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "harness/session/order.hpp"
#include "vm/farm/farm.hpp"
#include "vm/transport/table.hpp"

namespace nasvm {
namespace {

struct LeaderOrder {
  TaskOrder run;
  int workers = 0;
};

void describe(Fields& fields, LeaderOrder& order) {
  describe_kind(fields, order_kind_leader);
  fields.part("run", order.run);
  fields.integer("workers", order.workers);
}

struct WorkerOrder {
  TaskOrder run;
};

void describe(Fields& fields, WorkerOrder& order) {
  describe_kind(fields, order_kind_worker);
  fields.part("run", order.run);
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

std::string leader_order(const TaskOrder& order, int workers) { return text_of_record(LeaderOrder{order, workers}); }

std::string lead_farm(Task& task) {
  const auto [order, workers] = record_of_text<LeaderOrder>(task.setup());
  const FarmedWork& farmed = work_of(order);
  const farm::Work work{farmed.units(order.problem), compute_of(order)};
  const farm::Harvest harvest = farm::lead(task, work, workers, text_of_record(WorkerOrder{order}));
  Outcome outcome = farmed.conclude(order.problem, harvest.sum);
  outcome.time_s = harvest.leader.time_s;
  outcome.communication = harvest.leader.communication;
  std::ranges::copy(details_of(harvest, order), std::back_inserter(outcome.details));
  return report_text(task, order, 0, outcome);
}

std::string serve_farm(Task& task) {
  const TaskOrder order = record_of_text<WorkerOrder>(task.setup()).run;
  const farm::Part part = farm::serve(task, compute_of(order));
  // Whether the result is right is the leader's to say.
  return report_text(task, order, 1 + task.comm().rank(),
                     {.verified = true, .time_s = part.time_s, .communication = part.communication, .details = {}});
}

}  // namespace nasvm
