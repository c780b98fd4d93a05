#include "kernels/cg/rounds.hpp"

#include <algorithm>
#include <bit>

namespace nasvm::cg {
namespace {

constexpr int most_direct_members = 3;  // up to here one round has no more messages

/// Each begins with its successor, so that not all send to the same one first.
Round direct_round(int members, int self) {
  Round round;
  for (int i = 1; i < members; ++i) {
    const int peer = (self + i) % members;
    round.out.push_back({peer, {self, 1}});
    round.in.push_back({peer, {peer, 1}});
  }
  return round;
}

/// Neighbouring groups of `distance` members, a power of two, exchange what they have.
Round halves_round(int self, int distance) {
  const int peer = self ^ distance;
  const auto group_of = [&](int member) { return Group{member / distance * distance, distance}; };
  return {{{peer, group_of(self)}}, {{peer, group_of(peer)}}};
}

/// Every member has `distance` parts from its own on, and sends backwards what is not there yet.
Round ring_round(int members, int self, int distance) {
  const int count = std::min(distance, members - distance);
  const int successor = (self + distance) % members;
  const int predecessor = (self + members - distance) % members;
  return {{{predecessor, {self, count}}}, {{successor, {successor, count}}}};
}

}  // namespace

std::vector<Round> gather_rounds(int members, int self, Prefer prefer) {
  if (members == 1) return {};
  if (prefer == Prefer::few_rounds || members <= most_direct_members) return {direct_round(members, self)};
  std::vector<Round> rounds;
  for (int distance = 1; distance < members; distance *= 2) {
    rounds.push_back(std::has_single_bit(static_cast<unsigned>(members)) ? halves_round(self, distance)
                                                                         : ring_round(members, self, distance));
  }
  return rounds;
}

}  // namespace nasvm::cg
