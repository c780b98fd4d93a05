#include "harness/kernel_runs/rank_view.hpp"

#include <catch2/catch.hpp>

#include "../fake_executor.hpp"

using namespace nasvm;
using Catch::Contains;

namespace {

/// So many tasks on so many hosts, each of which sends 1 MB in two messages to the next one.
RunRecord ring_of(int np, int hosts, const std::string& transport = "direct") {
  RunRecord run;
  run.kernel = "is";
  run.np = np;
  run.transport = transport;
  run.verified = true;
  run.time_s = 1;
  for (int rank = 0; rank < np; ++rank) {
    run.comm.by_rank.push_back(
        {rank, "box" + std::to_string(rank * hosts / np), 1000000, 1000000, 2, 2, 0.5, 0.25, 1});
    run.comm.by_pair.push_back({rank, (rank + 1) % np, 1000000, 2});
  }
  add_up(run.comm);
  return run;
}

std::string by_rank(std::vector<RunRecord> runs) {
  Document document;
  document.machine = test::small_machine();
  document.records<RunRecord>() = std::move(runs);
  const Source source{"", std::move(document)};
  return text_of(rank_grids(std::span(&source, 1), Columns::usual));
}

}  // namespace

TEST_CASE("by rank: transports over which the same was sent share a matrix, others have their own") {
  std::vector<RunRecord> runs{ring_of(3, 1, "daemon"), ring_of(3, 1, "direct")};
  CHECK_THAT(by_rank(runs), Contains("is class S, 3 tasks, daemon, direct: MB from task (row) to task (column)"));
  runs[1].comm.by_pair[0].bytes = 5;
  CHECK_THAT(by_rank(runs), Contains("3 tasks, daemon: MB from") && Contains("3 tasks, direct: MB from"));
}

TEST_CASE("by rank: the matrix of many tasks is that of their hosts, where there are several") {
  CHECK_THAT(by_rank({ring_of(40, 2)}),
             Contains("40 tasks, direct: messages from host (row) to host (column)") && Contains("box0    38     2"));
  CHECK_THAT(by_rank({ring_of(40, 1)}),
             Contains("40 tasks, direct: too many tasks for a matrix here") && !Contains("(row)"));
  CHECK_THAT(by_rank({ring_of(32, 1)}), Contains("from task (row) to task (column)"));
}

TEST_CASE("by rank: pairs that tasks have not named are said") {
  RunRecord run = ring_of(4, 1);
  CHECK_THAT(by_rank({run}), !Contains("of the volume"));
  run.comm.by_pair.pop_back();
  CHECK_THAT(by_rank({run}), Contains("together 75 % of the volume, 75 % of the messages"));
}

TEST_CASE("by rank: pairs of tasks that are not there are passed over") {
  RunRecord run = ring_of(2, 1);
  run.comm.by_pair.push_back({0, 7, 1, 1});
  CHECK_THAT(by_rank({run}), Contains("from task (row) to task (column)"));
}

TEST_CASE("by rank: a task's row of the matrix is one cell of CSV") {
  Document document;
  document.records<RunRecord>() = {ring_of(2, 1)};
  const Source source{"", std::move(document)};
  CHECK_THAT(rank_csv(std::span(&source, 1)),
             Contains(",sent_to,") && Contains(",1:1000000:2,") && Contains(",0:1000000:2,"));
}

TEST_CASE("by rank: a farm's worker that was lost is left out, and the others keep their ranks") {
  RunRecord run = ring_of(4, 1);
  run.comm.by_rank.erase(run.comm.by_rank.begin() + 1);
  for (const PairRecord& pair : {PairRecord{2, 0, 3000000, 5}, PairRecord{3, 2, 4000000, 7}}) {
    run.comm.by_pair.push_back(pair);
  }
  const std::string text = by_rank({run});
  CHECK_THAT(text, Contains("From     0     2     3") || Contains("From  0  2  3"));
  CHECK_THAT(text, Contains("messages from task (row)"));
}

TEST_CASE("by rank: lines of CSV say which run they are of, and have no times of wrong results") {
  Document document;
  auto& runs = document.records<RunRecord>();
  runs = {ring_of(2, 1), ring_of(2, 1), ring_of(2, 1)};
  for (const int hosts : {1, 2}) runs[static_cast<std::size_t>(hosts - 1)].host_count = hosts;
  runs[0].parameters = {{"order", "token"}};
  runs[1].sampled = {Conditions{}, true};
  runs[2].verified = false;
  const Source source{"", std::move(document)};
  const std::string csv = rank_csv(std::span(&source, 1));
  CHECK_THAT(csv, Contains(",commit,host_count,parameters,conditions_changed\n"));
  CHECK_THAT(csv, Contains(",1,order:token,\n") && Contains(",2,,true\n"));
  CHECK_THAT(csv, Contains(",true,0,box0,1,0.5,0.25,1000000,") && Contains(",false,0,box0,,,,1000000,"));
}
