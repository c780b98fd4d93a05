#include "vm/launch/accusations.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace nasvm {
namespace {

bool concerns(const Accusations::Accusation& one, std::size_t host) {
  return one.accuser == host || one.accused == host;
}

}  // namespace

void Accusations::note(Accusation accusation) {
  const auto is_same = [&](const Accusation& other) {
    return other.accuser == accusation.accuser && other.accused == accusation.accused;
  };
  if (std::ranges::none_of(all_, is_same)) all_.push_back(std::move(accusation));
}

std::optional<Accusations::Ruling> Accusations::rule(TimePoint now,
                                                     const std::function<bool(std::size_t host)>& answers) {
  const auto is_gone = [&](const Accusation& one) { return !answers(one.accused); };
  const auto gone = std::ranges::find_if(all_, is_gone);
  if (gone != all_.end()) return settle(gone->accused);
  const auto host = most_concerning(now);
  if (!host) return std::nullopt;
  return settle(*host);
}

void Accusations::forget(std::size_t host) {
  std::erase_if(all_, [host](const Accusation& one) { return concerns(one, host); });
}

/// Hosts that do not hear that one, or are not heard by it.
std::size_t Accusations::concerned_by(std::size_t host) const {
  std::set<std::size_t> others;
  for (const Accusation& one : all_) {
    if (concerns(one, host)) others.insert(one.accuser == host ? one.accused : one.accuser);
  }
  return others.size();
}

/// Of those about whom no more is going to be heard. Of equal ones the later: a new host must not cost the machine
/// those that were there.
std::optional<std::size_t> Accusations::most_concerning(TimePoint now) const {
  std::set<std::size_t> hosts;
  for (const Accusation& one : all_) {
    if (now - one.since >= patience) hosts.insert({one.accuser, one.accused});
  }
  if (hosts.empty()) return std::nullopt;
  return *std::ranges::max_element(hosts, {},
                                   [this](std::size_t host) { return std::tuple(concerned_by(host), host); });
}

Accusations::Ruling Accusations::settle(std::size_t host) {
  Ruling ruling{host, {}};
  std::ranges::copy_if(all_, std::back_inserter(ruling.because),
                       [host](const Accusation& one) { return concerns(one, host); });
  std::ranges::stable_sort(ruling.because, {}, &Accusation::accused);
  forget(host);
  return ruling;
}

}  // namespace nasvm
