#include "harness/conditions/meter.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "harness/conditions/probe.hpp"
#include "vm/machine_topology.hpp"

using namespace nasvm;

TEST_CASE("conditions meter: busy and stolen time of /proc/stat, without guests, which are counted already") {
  const std::string text = "cpu  100 20 30 4000 500 6 7 80 90 10\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
  const ProcessorTimes times = processor_times(text, 100);
  CHECK(times.busy_s == Approx(1.63));
  CHECK(times.stolen_s == Approx(0.8));
  CHECK(processor_times("", 100).busy_s == 0);
  CHECK(processor_times("cpu  1 2\n", 100).busy_s == 0);
}

TEST_CASE("conditions meter: a process's time has that of its dead children, and its name may hold anything") {
  const std::string text = "17 (a ) b (c) S 42 1 1 0 -1 4194560 1 2 3 4 100 20 3000 400 20 0 1 0 5 6\n";
  const ProcessTimes times = process_times(text, 100);
  CHECK(times.process == 17);
  CHECK(times.parent == 42);
  CHECK(times.cpu_s == Approx(35.2));
  CHECK(process_times("", 100).parent == 0);
  CHECK(process_times("17 (x", 100).parent == 0);
  CHECK(process_times("17 (x) S", 100).parent == 0);
}

TEST_CASE("conditions meter: own time is that of children and of helpers, each once") {
  const std::array<ProcessTimes, 4> processes{{{10, 1, 1.0}, {11, 10, 2.0}, {12, 10, 4.0}, {13, 11, 8.0}}};
  CHECK(sum_s(processes, 10, {}) == 6);
  CHECK(sum_s(processes, 10, std::array<pid_t, 2>{12, 13}) == 14);
  CHECK(sum_s(processes, 99, std::array<pid_t, 1>{10}) == 1);
}

TEST_CASE("conditions meter: a sample of this machine has figures, and the caller stays where it was") {
  const std::vector<int> before = usable_core_numbers();
  const auto meter = make_conditions_meter();
  meter->begin(2);
  const Sampled sampled = meter->end();
  CHECK(usable_core_numbers() == before);
  REQUIRE(sampled.conditions.has_value());
  CHECK(sampled.conditions->memory_gb_s > 0);
  CHECK(sampled.conditions->elapsed_s > 0);
  CHECK(sampled.conditions->stolen_s >= 0);
}

TEST_CASE("conditions probe: one core has no other") {
  const std::vector<int> cores = usable_core_numbers();
  CHECK(core_to_core_ns(std::span(cores).first(1)) == 0);
}

TEST_CASE("conditions meter: without one, a result has no conditions; with one, it has the meter's") {
  struct Fixed final : ConditionsMeter {
    void begin(int count) override { cores = count; }
    Sampled end() override { return {Conditions{55, 12, 0, 0, 1}, true}; }
    int cores = 0;
  };
  struct Result {
    int value = 0;
    Sampled sampled;
  };
  const auto measure = [] { return Result{7, {}}; };
  CHECK_FALSE(under_conditions(nullptr, 3, measure).sampled.conditions.has_value());
  Fixed meter;
  const Result result = under_conditions(&meter, 3, measure);
  CHECK(meter.cores == 3);
  CHECK(result.value == 7);
  CHECK(result.sampled.changed);
}
