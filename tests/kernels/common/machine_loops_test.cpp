#include "kernels/common/machine_loops.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

using namespace nasvm;

TEST_CASE("machine loops: read sums everything, whatever the length") {
  for (const std::size_t count : {0U, 1U, 7U, 95U, 96U, 1000U}) {
    std::vector<double> data(count);
    std::iota(data.begin(), data.end(), 1.0);
    CAPTURE(count);
    CHECK(machine_loops::read(data) == Approx(static_cast<double>(count * (count + 1)) / 2));
  }
}

TEST_CASE("machine loops: triad is what its name says") {
  std::vector<double> a(37), b(37), c(37);
  std::iota(b.begin(), b.end(), 1.0);
  std::iota(c.begin(), c.end(), 100.0);
  machine_loops::triad(a, b, c, 0.5);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == b[i] + 0.5 * c[i]);
}

TEST_CASE("machine loops: multiply-adds are done and counted") {
  double one = 0;
  double many = 0;
  const double operations = machine_loops::multiply_add(1, one);
  CHECK(operations >= 2);
  // x = x / 2 + 1 from 0 is 1 after the first round in every lane, and goes to 2.
  CHECK(one == operations / 2);
  CHECK(machine_loops::multiply_add(100, many) == 100 * operations);
  CHECK(many == Approx(2 * one));
}
