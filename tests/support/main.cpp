/// \file
/// The main function of every test program: Catch, or a task of a test when a daemon has started it.

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "support/task_bodies.hpp"

int main(int argc, char** argv) {
  if (nasvm::Task::in_environment()) return nasvm::test::test_task_main();
  return Catch::Session().run(argc, argv);
}
