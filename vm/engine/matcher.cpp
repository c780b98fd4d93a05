#include "vm/engine/matcher.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nasvm {
void Matcher::grow(int peers) {
  posted_.resize(static_cast<std::size_t>(peers) + 1);
  unexpected_.resize(static_cast<std::size_t>(peers));
}

Operation* Matcher::find_posted(Rank source, Tag tag, Context context) {
  struct Candidate {
    Posted* list;
    Operation* previous;
    Operation* receive;
  };
  const auto oldest_in = [&](Posted& list) {
    Candidate candidate{&list, nullptr, list.first};
    while (candidate.receive != nullptr && !would_take(*candidate.receive, tag, context)) {
      candidate.previous = candidate.receive;
      candidate.receive = candidate.receive->next;
    }
    return candidate;
  };
  const Candidate specific = oldest_in(list_of(source));
  const Candidate wild = oldest_in(list_of(any_source));
  const bool use_wild =
      specific.receive == nullptr || (wild.receive != nullptr && wild.receive->serial < specific.receive->serial);
  const Candidate& chosen = use_wild ? wild : specific;
  if (chosen.receive != nullptr) unlink(*chosen.list, chosen.previous, *chosen.receive);
  return chosen.receive;
}

void Matcher::repost(Operation& receive) {
  Posted& list = list_of(receive.peer);
  Operation* previous = nullptr;
  Operation* younger = list.first;
  for (; younger != nullptr && younger->serial < receive.serial; younger = younger->next) previous = younger;
  receive.next = younger;
  (previous == nullptr ? list.first : previous->next) = &receive;
  if (younger == nullptr) list.last = &receive;
}

void Matcher::abandon(Rank source) {
  const Posted list = std::exchange(list_of(source), {});
  for (Operation* receive = list.first; receive != nullptr; receive = receive->next) abandon(*receive);
}

bool Matcher::cancel(Operation& receive) {
  Posted& list = list_of(receive.peer);
  Operation* previous = nullptr;
  for (Operation* posted = list.first; posted != nullptr; previous = posted, posted = posted->next) {
    if (posted != &receive) continue;
    unlink(list, previous, receive);
    return true;
  }
  return false;
}

void Matcher::add_unexpected(std::unique_ptr<Unexpected> message) {
  message->serial = next_serial_++;
  unexpected_[static_cast<std::size_t>(message->source)].push_back(std::move(message));
  ++unexpected_count_;
}

void Matcher::forget_own_send(Rank self, const Operation& send) {
  for (const auto& message : unexpected_[static_cast<std::size_t>(self)]) {
    if (message->own_send == &send) message->own_send = nullptr;
  }
}

std::pair<Rank, std::size_t> Matcher::locate(Rank source, Tag tag, Context context) const {
  if (unexpected_count_ == 0) return {any_source, 0};
  const auto index_from = [&](Rank rank) {
    const Messages& messages = unexpected_[static_cast<std::size_t>(rank)];
    const auto found = std::ranges::find_if(
        messages, [&](const auto& message) { return message->context == context && tags_match(tag, message->tag); });
    return static_cast<std::size_t>(found - messages.begin());
  };
  if (source != any_source) {
    const std::size_t index = index_from(source);
    return index < unexpected_[static_cast<std::size_t>(source)].size() ? std::pair{source, index}
                                                                        : std::pair{any_source, index};
  }
  std::pair<Rank, std::size_t> oldest{any_source, 0};
  std::uint64_t oldest_serial = ~std::uint64_t{0};
  for (std::size_t rank = 0; rank < unexpected_.size(); ++rank) {
    const std::size_t index = index_from(static_cast<Rank>(rank));
    if (index == unexpected_[rank].size() || unexpected_[rank][index]->serial >= oldest_serial) continue;
    oldest = {static_cast<Rank>(rank), index};
    oldest_serial = unexpected_[rank][index]->serial;
  }
  return oldest;
}

std::unique_ptr<Unexpected> Matcher::find_and_take(Rank source, Tag tag, Context context) {
  const auto [rank, index] = locate(source, tag, context);
  if (rank == any_source) return nullptr;
  Messages& messages = unexpected_[static_cast<std::size_t>(rank)];
  std::unique_ptr<Unexpected> message = std::move(messages[index]);
  messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(index));
  --unexpected_count_;
  return message;
}

Matcher::Messages Matcher::take_unexpected_if(Rank source, const std::function<bool(const Unexpected&)>& wanted) {
  Messages& messages = unexpected_[static_cast<std::size_t>(source)];
  const auto chosen = std::ranges::stable_partition(messages, [&](const auto& message) { return !wanted(*message); });
  Messages taken(std::make_move_iterator(chosen.begin()), std::make_move_iterator(chosen.end()));
  messages.erase(chosen.begin(), chosen.end());
  unexpected_count_ -= taken.size();
  return taken;
}

const Unexpected* Matcher::find_unexpected(Rank source, Tag tag, Context context) const {
  const auto [rank, index] = locate(source, tag, context);
  return rank == any_source ? nullptr : unexpected_[static_cast<std::size_t>(rank)][index].get();
}

std::vector<const Operation*> Matcher::posted() const {
  std::vector<const Operation*> all;
  for (const Posted& list : posted_) {
    for (const Operation* receive = list.first; receive != nullptr; receive = receive->next) all.push_back(receive);
  }
  std::ranges::sort(all, {}, &Operation::serial);
  return all;
}

std::vector<const Unexpected*> Matcher::unexpected() const {
  std::vector<const Unexpected*> all;
  for (const Messages& messages : unexpected_) {
    for (const auto& message : messages) {
      if (message != nullptr && message->receive == nullptr) all.push_back(message.get());
    }
  }
  std::ranges::sort(all, {}, &Unexpected::serial);
  return all;
}

}  // namespace nasvm
