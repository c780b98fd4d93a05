#include "support/farm_bodies.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "vm/farm/farm.hpp"

namespace nasvm::test {
namespace {

constexpr std::int64_t units = 3000;

/// So many units, and the sum of their numbers.
farm::Row add_up(const farm::Units& part) {
  const auto count = static_cast<double>(part.count);
  return {count, count * static_cast<double>(part.first) + count * (count - 1) / 2};
}

/// Takes about 20 microseconds for each unit.
farm::Row add_up_slowly(const farm::Units& part) {
  const Ticks end = ticks_now() + to_ticks(std::chrono::microseconds(20) * part.count);
  while (ticks_now() < end) {
  }
  return add_up(part);
}

void serve_with(Task& task, farm::Row (*compute)(const farm::Units&)) {
  const farm::Part part = farm::serve(task, compute);
  const PeerCounters total = part.communication.total();
  if (total.messages_sent != total.messages_received) throw std::logic_error("pieces without results");
  task.report("served");
  task.depart();
}

void serve(Task& task) { serve_with(task, add_up_slowly); }

/// The first of the workers dies with its second piece.
void serve_until_death(Task& task) {
  static int pieces = 0;
  static bool is_first = false;
  is_first = task.comm().rank() == 0;
  serve_with(task, [](const farm::Units& part) {
    if (is_first && ++pieces == 2) ::raise(SIGKILL);
    return add_up_slowly(part);
  });
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

/// The first of the workers never comes back with its second piece.
void serve_until_stuck(Task& task) {
  static int pieces = 0;
  static bool is_first = false;
  is_first = task.comm().rank() == 0;
  serve_with(task, [](const farm::Units& part) {
    if (is_first && pieces == 1) sleep_for_ever();
    ++pieces;
    return add_up_slowly(part);
  });
}

/// Reports how many workers were lost.
void lead_with(Task& task, const char* workers) {
  const farm::Harvest harvest = farm::lead(task, {units, add_up_slowly}, 3, workers);
  const auto count = static_cast<double>(units);
  if (harvest.sum != farm::Row{count, count * (count - 1) / 2}) throw std::logic_error("a wrong sum");
  task.report("lost " + std::to_string(harvest.lost));
}

void lead_a_farm(Task& task) { lead_with(task, "serve a farm"); }
void lead_with_a_death(Task& task) { lead_with(task, "serve a farm until death"); }
void lead_with_one_stuck(Task& task) { lead_with(task, "serve a farm until stuck"); }

/// What comes late of the first farm's stuck worker does not concern the second.
void lead_two_farms(Task& task) {
  lead_with_one_stuck(task);
  lead_a_farm(task);
}

constexpr std::array all_bodies{
    Body<Task>{"lead a farm", lead_a_farm},
    Body<Task>{"lead a farm with a death", lead_with_a_death},
    Body<Task>{"lead a farm with one stuck", lead_with_one_stuck},
    Body<Task>{"lead two farms", lead_two_farms},
    Body<Task>{"serve a farm", serve},
    Body<Task>{"serve a farm until death", serve_until_death},
    Body<Task>{"serve a farm until stuck", serve_until_stuck},
};

}  // namespace

std::span<const Body<Task>> farm_bodies() { return all_bodies; }

}  // namespace nasvm::test
