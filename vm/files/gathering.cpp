#include "vm/files/gathering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace nasvm::files {
namespace {

std::vector<int> tasks_of(const std::map<int, Arrival>& arrivals) {
  std::vector<int> tasks;
  for (const auto& [task, arrival] : arrivals) tasks.push_back(task);
  return tasks;
}

void pack_numbers(PackBuffer& message, const std::vector<std::int64_t>& numbers) { message.pack(numbers); }

std::vector<std::int64_t> unpack_numbers(PackBuffer& message) {
  std::vector<std::int64_t> numbers(message.next_count());
  message.unpack(numbers);
  return numbers;
}

}  // namespace

Outcome outcome_of(const std::map<int, Arrival>& arrivals) {
  Outcome outcome;
  const auto& [first_task, first] = *arrivals.begin();
  outcome.least = outcome.most = first.values;
  for (const auto& [task, arrival] : arrivals) {
    if (arrival.call != first.call || arrival.values.size() != first.values.size()) {
      outcome.code = EINVAL;
      outcome.error =
          fmt::format("task {} calls {} where task {} calls {}", task, arrival.call, first_task, first.call);
      return outcome;
    }
    for (std::size_t i = 0; i < arrival.values.size(); ++i) {
      outcome.least[i] = std::min(outcome.least[i], arrival.values[i]);
      outcome.most[i] = std::max(outcome.most[i], arrival.values[i]);
    }
    outcome.texts.push_back(arrival.text);
    if (arrival.code != 0 && outcome.code == 0) {
      outcome.code = arrival.code;
      outcome.error = arrival.error;
    }
  }
  return outcome;
}

std::optional<Gathering::Settled> Gathering::arrive(int task, std::uint64_t number, Arrival arrival) {
  if (const auto found = given_up_.find(number); found != given_up_.end()) return Settled{found->second, {task}};
  auto& arrivals = waiting_[number];
  arrivals.emplace(task, std::move(arrival));
  if (arrivals.size() < static_cast<std::size_t>(tasks_)) {
    const auto gone = std::ranges::find_if(left_, [&](int other) { return !arrivals.contains(other); });
    return gone == left_.end() ? std::nullopt : give_up(number, fmt::format("task {} has ended", *gone));
  }
  Settled settled{outcome_of(arrivals), tasks_of(arrivals)};
  waiting_.erase(number);
  return settled;
}

std::vector<int> Gathering::arrived(std::uint64_t number) const {
  const auto found = waiting_.find(number);
  return found == waiting_.end() ? std::vector<int>{} : tasks_of(found->second);
}

std::vector<std::pair<std::uint64_t, Gathering::Settled>> Gathering::leave(int task) {
  std::vector<std::pair<std::uint64_t, Settled>> settled;
  if (!left_.insert(task).second) return settled;
  std::vector<std::uint64_t> in_vain;
  for (const auto& [number, arrivals] : waiting_) {
    if (!arrivals.contains(task)) in_vain.push_back(number);
  }
  for (const std::uint64_t number : in_vain) {
    if (auto given_up = give_up(number, fmt::format("task {} has ended", task))) {
      settled.emplace_back(number, *std::move(given_up));
    }
  }
  return settled;
}

std::optional<Gathering::Settled> Gathering::give_up(std::uint64_t number, const std::string& error) {
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return {};
  Outcome outcome;
  outcome.code = ETIMEDOUT;
  outcome.error = found->second.begin()->second.call + ": " + error;
  Settled settled{outcome, tasks_of(found->second)};
  waiting_.erase(found);
  given_up_.emplace(number, outcome);
  return settled;
}

PackBuffer pack(const Arrival& arrival) {
  PackBuffer message;
  message.pack_text(arrival.call).pack_text(arrival.text).pack_text(arrival.error).pack_value(arrival.code);
  pack_numbers(message, arrival.values);
  return message;
}

Arrival unpack_arrival(PackBuffer message) {
  Arrival arrival;
  arrival.call = message.unpack_text();
  arrival.text = message.unpack_text();
  arrival.error = message.unpack_text();
  arrival.code = message.unpack_value<int>();
  arrival.values = unpack_numbers(message);
  return arrival;
}

PackBuffer pack(const Outcome& outcome) {
  PackBuffer message;
  message.pack_text(outcome.error).pack_value(outcome.code);
  pack_numbers(message, outcome.least);
  pack_numbers(message, outcome.most);
  message.pack_value(static_cast<std::uint64_t>(outcome.texts.size()));
  for (const std::string& text : outcome.texts) message.pack_text(text);
  return message;
}

Outcome unpack_outcome(PackBuffer message) {
  Outcome outcome;
  outcome.error = message.unpack_text();
  outcome.code = message.unpack_value<int>();
  outcome.least = unpack_numbers(message);
  outcome.most = unpack_numbers(message);
  outcome.texts.resize(message.unpack_value<std::uint64_t>());
  for (std::string& text : outcome.texts) text = message.unpack_text();
  return outcome;
}

bool Absence::ask(int task, TimePoint now) {
  auto& asked = seen_[task].asked;
  if (asked.has_value()) return false;
  asked = now;
  return true;
}

void Absence::hear(int task, std::uint64_t calls, TimePoint now) {
  Seen& seen = seen_[task];
  if (!seen.since.has_value() || seen.calls != calls) seen.since = now;
  seen.calls = calls;
  seen.last = std::exchange(seen.asked, std::nullopt).value_or(now);
}

bool Absence::is_stuck(int task) const {
  const auto found = seen_.find(task);
  return found != seen_.end() && found->second.since.has_value() &&
         found->second.last - *found->second.since >= patience;
}

std::string Absence::verdict(std::span<const int> missing) const {
  std::vector<std::string> ended;
  std::vector<std::string> stuck;
  for (const int task : missing) {
    if (gone_.contains(task)) ended.push_back(std::to_string(task));
    else if (is_stuck(task)) stuck.push_back(std::to_string(task));
  }
  if (ended.empty() && (stuck.empty() || stuck.size() < missing.size())) return {};
  const auto name = [](const std::vector<std::string>& tasks, const char* one, const char* several) {
    if (tasks.empty()) return std::string();
    return fmt::format("{} {} {}", tasks.size() == 1 ? "task" : "tasks", fmt::join(tasks, ", "),
                       tasks.size() == 1 ? one : several);
  };
  const std::string first = name(ended, "has ended", "have ended");
  // Those that wait elsewhere may do so for one that has ended.
  const std::string second = stuck.size() + ended.size() < missing.size()
                                 ? std::string()
                                 : name(stuck, "waits in another call", "wait in other calls");
  return first + (first.empty() || second.empty() ? "" : ", ") + second;
}

}  // namespace nasvm::files
