#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/rounds.hpp"

using namespace nasvm::cg;

namespace {

std::vector<int> parts_of(const Group& group, int members) {
  std::vector<int> parts;
  for (int i = 0; i < group.count; ++i) parts.push_back((group.first + i) % members);
  return parts;
}

/// What every member has after all rounds, if all that is sent is there and expected.
std::vector<std::multiset<int>> gathered(int members, Prefer prefer) {
  std::vector<std::vector<Round>> rounds;
  std::vector<std::multiset<int>> has;
  for (int member = 0; member < members; ++member) {
    rounds.push_back(gather_rounds(members, member, prefer));
    has.push_back({member});
    REQUIRE(rounds.back().size() == rounds.front().size());
  }
  for (std::size_t i = 0; i < rounds[0].size(); ++i) {
    const auto before = has;
    for (int member = 0; member < members; ++member) {
      for (const auto& [peer, parts] : rounds[static_cast<std::size_t>(member)][i].in) {
        const auto& sent = rounds[static_cast<std::size_t>(peer)][i].out;
        CHECK(std::ranges::count_if(sent, [&, from = parts](const Round::Message& message) {
                return message.peer == member && parts_of(message.parts, members) == parts_of(from, members);
              }) == 1);
        for (const int part : parts_of(parts, members)) {
          CHECK(before[static_cast<std::size_t>(peer)].contains(part));
          has[static_cast<std::size_t>(member)].insert(part);
        }
      }
    }
  }
  return has;
}

}  // namespace

TEST_CASE("cg: the rounds of a line bring every part to every member once, in as few messages as can be") {
  for (int members = 1; members <= 33; ++members) {
    INFO(members << " members");
    std::multiset<int> all;
    for (int part = 0; part < members; ++part) all.insert(part);
    for (const std::multiset<int>& has : gathered(members, Prefer::few_messages)) CHECK(has == all);
    std::size_t messages = 0;
    for (const Round& round : gather_rounds(members, members - 1, Prefer::few_messages)) messages += round.out.size();
    CHECK(messages == static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(members - 1))));
  }
}

TEST_CASE("cg: in a power of two no group of parts goes past the end") {
  for (const int members : {2, 4, 8, 16}) {
    for (int member = 0; member < members; ++member) {
      for (const Round& round : gather_rounds(members, member, Prefer::few_messages)) {
        for (const auto& [peer, parts] : round.in) CHECK(parts.first + parts.count <= members);
      }
    }
  }
}

TEST_CASE("cg: the rounds of a line are one where few rounds are preferred") {
  for (int members = 1; members <= 17; ++members) {
    INFO(members << " members");
    CHECK(gather_rounds(members, 0, Prefer::few_rounds).size() == (members > 1 ? 1 : 0));
    for (const std::multiset<int>& has : gathered(members, Prefer::few_rounds)) {
      CHECK(has.size() == static_cast<std::size_t>(members));
    }
  }
}
