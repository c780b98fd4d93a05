/// \file
/// What is measured of a program: all of it, or what it marks.

#include "vm/abi/mpi/region.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;
using namespace nasvm::mpi;

namespace {

/// A program of two tasks that sends messages of one byte.
struct Program {
  Counters counters;
  Statistics statistics;
  Region region;
  Ticks now = 100;

  Program() {
    counters.peers.resize(2);
    region.begin(counters, statistics, now);
  }
  void send(int messages) {
    for (int i = 0; i < messages; ++i) {
      ++counters.peers[1].messages_sent;
      statistics.sends(1);
    }
    now += messages;
  }
  void control(int level) { region.control(level, counters, statistics, now); }
  /// Messages by the counters; the statistics and the time must agree.
  std::uint64_t end() {
    const Measured measured = region.end(counters, statistics, now);
    const std::uint64_t messages = measured.counters.total().messages_sent;
    CHECK(measured.statistics.by_length()[1] == messages);
    CHECK(measured.time == static_cast<Ticks>(messages));
    return messages;
  }
};

}  // namespace

TEST_CASE("region: without marks all is measured", "[exec]") {
  Program program;
  program.send(3);
  CHECK(program.end() == 3);
}

TEST_CASE("region: what lies between marks is measured, and added up", "[exec]") {
  Program program;
  program.send(1);
  program.control(0);
  program.send(2);
  program.control(1);
  program.send(4);
  program.control(0);
  program.send(8);
  program.control(1);
  program.control(1);
  program.send(16);
  program.control(0);
  program.send(32);
  CHECK(program.end() == 20);
}

TEST_CASE("region: the first mark forgets what was before it", "[exec]") {
  Program program;
  program.send(1);
  program.control(1);
  program.send(2);
  CHECK(program.end() == 2);
}

TEST_CASE("region: 0 alone ends it, 2 forgets, and other levels mean nothing", "[exec]") {
  Program ended;
  ended.send(1);
  ended.control(0);
  ended.send(2);
  CHECK(ended.end() == 1);
  Program forgotten;
  forgotten.send(1);
  forgotten.control(2);
  forgotten.send(2);
  forgotten.control(5);
  forgotten.control(-1);
  forgotten.send(4);
  CHECK(forgotten.end() == 6);
}
