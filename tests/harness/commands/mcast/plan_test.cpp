#include "harness/commands/mcast/plan.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

namespace {

McastOptions options() {
  McastOptions some;
  some.variants = {{"nak", "window=2"}, {"raw:packet=8k", ""}};
  some.beside = {"mpi"};
  some.receivers = {2, 8};
  some.runs = 2;
  return some;
}

std::string text_of(const McastSpec& spec) {
  return std::to_string(spec.repeat) + " " + nasvm::text_of(spec.variant) + " " + std::to_string(spec.receivers);
}

}  // namespace

TEST_CASE("mcast plan: every protocol and system with every number of receivers, back and forth") {
  std::vector<std::string> texts;
  for (const McastSpec& spec : make_mcast_plan(options())) texts.push_back(text_of(spec));
  CHECK(texts == std::vector<std::string>{"0 nak:window=2 2", "0 raw:packet=8k 2", "0 mpi 2", "0 nak:window=2 8",
                                          "0 raw:packet=8k 8", "0 mpi 8", "1 mpi 8", "1 raw:packet=8k 8",
                                          "1 nak:window=2 8", "1 mpi 2", "1 raw:packet=8k 2", "1 nak:window=2 2"});
}

TEST_CASE("mcast plan: the yardstick and message systems are known as such") {
  const std::vector<McastSpec> plan = make_mcast_plan(options());
  CHECK(plan[0].kind == McastKind::protocol);
  CHECK(plan[1].kind == McastKind::unreliable);
  CHECK(plan[2].kind == McastKind::system);
}
