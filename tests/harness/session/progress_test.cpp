#include "harness/session/progress.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "harness/cli/values.hpp"
#include "harness/wrap.hpp"

using namespace nasvm;

namespace {

/// What is written between one beginning of the line and the next.
std::vector<std::string> lines_in(std::size_t columns, const std::vector<std::string>& steps) {
  std::string err;
  Console console;
  console.err = [&](std::string_view text) { err += text; };
  console.err_is_terminal = true;
  console.err_columns = columns;
  console.now = [] { return std::chrono::steady_clock::time_point{}; };
  {
    Progress progress(console);
    for (std::size_t position = 0; position < steps.size(); ++position) progress.show(steps, position);
  }
  std::vector<std::string> lines = split(err, '\r');
  for (std::string& line : lines) {
    if (line.starts_with("\033[K")) line.erase(0, 3);
  }
  return lines;
}

}  // namespace

TEST_CASE("progress: the line ends before the terminal does, between two signs") {
  const std::size_t columns = GENERATE(as<std::size_t>{}, 40, 60);
  CAPTURE(columns);
  const std::vector<std::string> lines = lines_in(
      columns, {"mg class S, 4 tasks, direct, and more than fits", "müßiggänger", "▁▂▃▄▅▆▇█ ▁▂▃▄▅▆▇█ ▁▂▃▄▅▆▇█"});
  REQUIRE(lines.size() == 4);
  CHECK(terminal_columns(lines[0]) == columns - 1);
  CHECK(terminal_columns(lines[1]) < columns);
  CHECK(terminal_columns(lines[2]) == columns - 1);
  CHECK(lines[3].empty());
}

TEST_CASE("progress: where the width is not known the line is whole") {
  const std::string step(200, 'x');
  CHECK(lines_in(0, {step}).front().ends_with(step));
}

TEST_CASE("progress: where there is no terminal a long measurement says once in a minute how far it is") {
  std::string err;
  std::chrono::steady_clock::time_point now{};
  Console console;
  console.err = [&](std::string_view text) { err += text; };
  console.err_is_terminal = false;
  console.now = [&] { return now; };
  const std::vector<std::string> steps{"p2p, daemon", "p2p, direct", "p2p, auto", "p2p, raw-tcp", "p2p, shm"};
  Progress progress(console);
  progress.show(steps, 0);
  now += std::chrono::seconds(30);
  progress.show(steps, 1);
  CHECK(err.empty());
  now += std::chrono::seconds(30);
  progress.show(steps, 2);
  CHECK(err == "nasvm: 2 of 5 done, 1:00, 1:30 left; now p2p, auto\n");
  now += std::chrono::seconds(59);
  progress.show(steps, 3);
  CHECK(std::ranges::count(err, '\n') == 1);
}
