/// \file
/// The main function of every test program: Catch, or a task of a test when a daemon has started it.

#define CATCH_CONFIG_RUNNER
#include <signal.h>

#include <catch2/catch.hpp>
#include <string_view>

#include "support/skip.hpp"
#include "support/task_bodies.hpp"
#include "vm/keeper/keeper.hpp"

namespace {

/// Test cases that have ended, and those of them that were skipped.
struct Count {
  int ended = 0;
  int skipped = 0;
} count;

class SkipCounter final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    TestEventListenerBase::testCaseEnded(stats);
    ++count.ended;
    if (nasvm::test::take_skipped()) ++count.skipped;
  }
};

}  // namespace

CATCH_REGISTER_LISTENER(SkipCounter)

int main(int argc, char** argv) {
  if (nasvm::Task::in_environment()) return nasvm::test::test_task_main();
  if (argc > 1 && std::string_view(argv[1]) == nasvm::keeper::keeper_argument) return nasvm::keeper::keeper_main();
  // Tests that interrupt programs do so also when they themselves run in the background.
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
  const int failed = Catch::Session().run(argc, argv);
  const bool all_skipped = count.ended > 0 && count.skipped == count.ended;
  return failed == 0 && all_skipped ? nasvm::test::skipped_exit_status : failed;
}
