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
#include <stdexcept>
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

/// What the calls said.
struct Counts {
  int slower = 0;  ///< of any case
  int fine = 0;    ///< of all cases
  double blocks = 0;
};

Counts count(const std::vector<Block>& blocks, bool equal, double tolerance) {
  std::mt19937_64 random(1);
  Counts counts;
  for (int i = 0; i < calls; ++i) {
    const std::vector<Trial> trials = call(blocks, equal, tolerance, random);
    const auto how_many = [&](Standing standing) { return std::ranges::count(trials, standing, &Trial::standing); };
    counts.slower += how_many(Standing::slower) > 0 ? 1 : 0;
    counts.fine += how_many(Standing::fine) == std::ssize(trials) ? 1 : 0;
    for (const Trial& trial : trials) counts.blocks += static_cast<double>(trial.blocks.size());
  }
  return counts;
}

int resample(const std::vector<std::string>& words) {
  const bool equal = words[2].starts_with("equal=");
  const std::string candidate = equal ? words[2].substr(6) : words[2];
  std::vector<Column> columns;
  for (std::size_t i = 4; i < words.size(); ++i) columns.push_back(column_of(words[i]));
  const std::vector<Block> blocks = blocks_of(words[0], words[1], candidate, columns);
  if (blocks.empty()) throw std::runtime_error("no round has both builds");
  const Counts counts = count(blocks, equal, std::stod(words[3]));
  std::printf("%zu blocks measured; of %d calls: fine %d, slower %d, undecided %d; %.0f blocks a case\n",
              blocks.size(), calls, counts.fine, counts.slower, calls - counts.fine - counts.slower,
              counts.blocks / calls / static_cast<double>(columns.size()));
  return 0;
}

}  // namespace

int main(int count, char** words) try {
  if (count >= 6) return resample({words + 1, words + count});
  std::fputs("regress_resample FILE BASE NEW TOLERANCE COLUMN...\n", stderr);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "regress_resample: %s\n", error.what());
  return 2;
}
