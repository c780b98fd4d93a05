// Calls of nasvm regress drawn from launches that were measured once (results/regress): how often a build is called
// slower, and how often fine. The decision is the program's own, SequentialTest.
//
//   regress_resample FILE BASE NEW TOLERANCE COLUMN...
//
// FILE: a line for each launch, with columns "round" and "build" and those named; of a round the launches of BASE and
// those of NEW make a block. A column with a minus before it is better when it is larger; several columns are cases
// of one call. equal=NEW: builds that are equal, whose names a coin exchanges in each block.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "harness/commands/regress/sequential.hpp"

using namespace nasvm;

namespace {

constexpr int calls = 1000;

/// Logarithms of ratios, one for each column.
using Block = std::vector<double>;

struct Column {
  std::string name;
  bool larger_is_better = false;
};

Column column_of(const std::string& word) {
  const bool larger = word.starts_with('-');
  return {larger ? word.substr(1) : word, larger};
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

std::size_t position(const std::vector<std::string>& header, const std::string& name) {
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) throw std::runtime_error("no column " + name);
  return static_cast<std::size_t>(found - header.begin());
}

/// The better launches of either build in each round, as how much worse the new one's is.
std::vector<Block> blocks_of(const std::string& file, const std::string& base, const std::string& candidate,
                             const std::vector<Column>& columns) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = fields_of(line);
  std::map<std::string, std::map<std::string, Block>> best;  // by round and build: the least logarithms
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = fields_of(line);
    Block& block = best[fields[position(header, "round")]][fields[position(header, "build")]];
    block.resize(columns.size(), HUGE_VAL);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double logarithm = std::log(std::stod(fields[position(header, columns[i].name)]));
      block[i] = std::min(block[i], columns[i].larger_is_better ? -logarithm : logarithm);
    }
  }
  std::vector<Block> blocks;
  for (auto& [round, builds] : best) {
    if (!builds.contains(base) || !builds.contains(candidate)) continue;
    Block& block = blocks.emplace_back(builds[candidate]);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] -= builds[base][i];
  }
  return blocks;
}

std::vector<Trial> call(const std::vector<Block>& blocks, bool equal, double tolerance, std::mt19937_64& random) {
  const std::size_t cases = blocks.front().size();
  SequentialTest test(std::vector<double>(cases, tolerance));
  std::size_t taken = 0;
  while (!test.done()) {
    for (; taken < test.blocks_wanted(); ++taken) {
      const Block& block = blocks[random() % blocks.size()];
      const double sign = equal && (random() & 1) == 1 ? -1 : 1;
      for (std::size_t i = 0; i < cases; ++i) test.add(i, sign * block[i]);
    }
    test.look();
  }
  return test.trials();
}

bool is(const Trial& trial, Standing standing) { return trial.standing == standing; }

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() < 5) return std::fputs("regress_resample FILE BASE NEW TOLERANCE COLUMN...\n", stderr), 2;
  const bool equal = arguments[2].starts_with("equal=");
  const std::string candidate = equal ? arguments[2].substr(6) : arguments[2];
  std::vector<Column> columns;
  for (std::size_t i = 4; i < arguments.size(); ++i) columns.push_back(column_of(arguments[i]));
  const std::vector<Block> blocks = blocks_of(arguments[0], arguments[1], candidate, columns);

  std::mt19937_64 random(1);
  int slower = 0;
  int fine = 0;
  double taken = 0;
  for (int i = 0; i < calls; ++i) {
    const auto trials = call(blocks, equal, std::stod(arguments[3]), random);
    const auto any = [&](Standing standing) {
      return std::ranges::any_of(trials, [=](const Trial& trial) { return is(trial, standing); });
    };
    const auto all = [&](Standing standing) {
      return std::ranges::all_of(trials, [=](const Trial& trial) { return is(trial, standing); });
    };
    slower += any(Standing::slower) ? 1 : 0;
    fine += all(Standing::fine) ? 1 : 0;
    for (const Trial& trial : trials) taken += static_cast<double>(trial.blocks.size());
  }
  std::printf("%zu blocks measured; of %d calls: fine %d, slower %d, undecided %d; %.0f blocks a case\n",
              blocks.size(), calls, fine, slower, calls - fine - slower,
              taken / calls / static_cast<double>(columns.size()));
  return 0;
}
