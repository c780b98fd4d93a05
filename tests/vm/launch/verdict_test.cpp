#include "vm/launch/verdict.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace nasvm;
using namespace std::chrono_literals;

namespace {

constexpr Verdict::TimePoint begin{1000s};
constexpr auto patience = 150ms;

std::string told(const Verdict& verdict) {
  try {
    verdict.pronounce();
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("without a failure there is no verdict, however long one waits", "[verdict]") {
  const Verdict verdict;
  CHECK_FALSE(verdict.failed());
  CHECK_FALSE(verdict.due(begin + 1h, patience));
}

TEST_CASE("failures are collected for a while from the first on", "[verdict]") {
  Verdict verdict;
  verdict.note(Gravity::exited, "first", begin);
  CHECK(verdict.failed());
  verdict.note(Gravity::exited, "second", begin + 149ms);
  CHECK_FALSE(verdict.due(begin + 149ms, patience));
  CHECK(verdict.due(begin + 150ms, patience));
}

TEST_CASE("the gravest failure is told, whatever the order they are heard of in", "[verdict]") {
  const std::vector<Gravity> order{Gravity::complaint, Gravity::exited, Gravity::failed,
                                   Gravity::silent,    Gravity::killed, Gravity::overdue};
  for (std::size_t less = 0; less + 1 < order.size(); ++less) {
    Verdict rising;
    rising.note(order[less], "less", begin);
    rising.note(order[less + 1], "more", begin + 1ms);
    CHECK(told(rising) == "more");
    Verdict falling;
    falling.note(order[less + 1], "more", begin);
    falling.note(order[less], "less", begin + 1ms);
    CHECK(told(falling) == "more");
  }
}

TEST_CASE("of equally grave failures the first is told", "[verdict]") {
  Verdict verdict;
  verdict.note(Gravity::killed, "cause", begin);
  verdict.note(Gravity::killed, "consequence", begin + 1ms);
  CHECK(told(verdict) == "cause");
}

TEST_CASE("the verdict carries the exit status of the failure that is told", "[verdict]") {
  Verdict verdict;
  verdict.note(Gravity::exited, "strange status", begin);
  verdict.note(Gravity::failed, "wrong usage", begin, Exit::usage);
  try {
    verdict.pronounce();
  } catch (const Error& error) {
    CHECK(error.exit_status() == Exit::usage);
  }
}
