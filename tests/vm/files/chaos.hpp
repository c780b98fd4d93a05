#pragma once
/// \file
/// A run of rounds of writing in which one task is killed, all drawn from a seed; and what its file has afterwards.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "machine_files.hpp"
#include "support/chaos_plan.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm::test {

struct ChaosOutcome {
  int tasks = 0;
  std::string transport;
  std::string parameters;
  int victim = 0;
  int microseconds = 0;  ///< from its first write on
  int flushed = 0;       ///< rounds
  std::string error;     ///< of the run
  std::string fault;     ///< of the file; empty: none
};

inline std::vector<std::byte> bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline ChaosOutcome chaos(int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  ChaosOutcome outcome;
  constexpr const char* transports[] = {"shm", "direct", "daemon"};
  constexpr const char* parameters[] = {"evict=lru", "owners=host", "share=off", "thread=on", "direct=on"};
  outcome.tasks = 2 + below(4);
  outcome.transport = transports[seed % 3];
  outcome.parameters = parameters[below(5)];
  outcome.victim = below(outcome.tasks);
  outcome.microseconds = 200 + below(100'000);
  Folder folder;
  const std::string path = folder.file("a");
  Machine machine({two_hosts(3), "local"});
  Machine::Program program = files_program("files: chaos", outcome.tasks, outcome.transport, path,
                                           {seed, outcome.victim, outcome.microseconds});
  program.environment.emplace_back("NASVM_EDONIO=" + outcome.parameters);
  try {
    machine.run(program);
    outcome.error = "none";
  } catch (const std::exception& error) {
    outcome.error = error.what();
  }
  outcome.flushed = static_cast<int>(bytes_of_file(path + ".flushed").size());
  outcome.fault = ChaosPlan(seed, outcome.tasks).fault_of(bytes_of_file(path), outcome.flushed);
  return outcome;
}

}  // namespace nasvm::test
