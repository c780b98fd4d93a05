#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/vectors.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

std::vector<double> waves(std::size_t size, double phase) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::sin(static_cast<double>(i) + phase);
  return values;
}

struct Step {
  std::vector<double> p, z, r, s;
  double square = 0;
};

/// One step on a span of 50 with the piece 11 .. 39 in it; by the definition when there are no threads.
Step step(int threads) {
  const Range own{11, 40};
  const double alpha = 0.7;
  const double beta = -0.3;
  Step v{waves(29, 1), waves(29, 2), waves(50, 3), waves(50, 4)};
  const std::vector<double> w = waves(50, 5);
  if (threads > 0) {
    v.square = advance({v.p.data(), v.z.data(), v.r.data(), v.s.data(), w.data(), own, 50}, alpha, beta, threads);
    return v;
  }
  for (std::size_t i = 0; i < v.p.size(); ++i) v.p[i] = v.r[i + 11] + beta * v.p[i];
  for (std::size_t i = 0; i < v.z.size(); ++i) v.z[i] += alpha * v.p[i];
  for (std::size_t i = 0; i < v.s.size(); ++i) v.s[i] = w[i] + beta * v.s[i];
  for (std::size_t i = 0; i < v.r.size(); ++i) v.r[i] -= alpha * v.s[i];
  for (std::size_t i = 11; i < 40; ++i) v.square += v.r[i] * v.r[i];
  return v;
}

bool close(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > 1e-15) return false;
  }
  return a.size() == b.size();
}

}  // namespace

TEST_CASE("cg: a step of the conjugate gradients updates all vectors, with any number of threads") {
  const Step expected = step(0);
  for (const int threads : {1, 2, 3, 40}) {
    const Step found = step(threads);
    INFO(threads << " threads");
    CHECK(close(found.p, expected.p));
    CHECK(close(found.z, expected.z));
    CHECK(close(found.r, expected.r));
    CHECK(close(found.s, expected.s));
    CHECK(found.square == Approx(expected.square).epsilon(1e-13));
  }
}

TEST_CASE("cg: the halves of a classic step update their vectors, with any number of threads") {
  const Range own{11, 40};
  for (const int threads : {1, 2, 3, 40}) {
    INFO(threads << " threads");
    std::vector<double> r = waves(50, 3);
    double square = 0;
    std::vector<double> expected_r = r;
    for (std::size_t i = 0; i < r.size(); ++i) {
      expected_r[i] -= 0.7 * std::sin(static_cast<double>(i) + 5);
      square += expected_r[i] * expected_r[i];
    }
    CHECK(subtract(0.7, waves(50, 5).data(), r.data(), 50, threads) == Approx(square).epsilon(1e-13));
    CHECK(close(r, expected_r));

    std::vector<double> z = waves(29, 2);
    std::vector<double> p = waves(50, 1);
    std::vector<double> expected_z = z;
    std::vector<double> expected_p = p;
    for (std::size_t i = 0; i < z.size(); ++i) expected_z[i] += 0.7 * p[i + 11];
    for (std::size_t i = 0; i < p.size(); ++i) expected_p[i] = r[i] - 0.3 * p[i];
    turn({z.data(), p.data(), r.data(), own, 50}, 0.7, -0.3, threads);
    CHECK(close(z, expected_z));
    CHECK(close(p, expected_p));

    for (std::size_t i = 0; i < z.size(); ++i) expected_z[i] += 2.5 * p[i];
    add_scaled(2.5, p.data(), z.data(), 29, threads);
    CHECK(close(z, expected_z));
  }
}

TEST_CASE("cg: sums over a vector are the same with any number of threads, to rounding") {
  const std::vector<double> a = waves(1001, 1);
  const std::vector<double> b = waves(1001, 2);
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += a[i] * b[i];
    square += (a[i] - b[i]) * (a[i] - b[i]);
  }
  for (const int threads : {1, 2, 5}) {
    CHECK(dot(a.data(), b.data(), 1001, threads) == Approx(product).epsilon(1e-13));
    CHECK(square_of_difference(a.data(), b.data(), 1001, threads) == Approx(square).epsilon(1e-13));
    CHECK(dot(a.data(), b.data(), 1001, threads) == dot(a.data(), b.data(), 1001, threads));
  }
  CHECK(dot(a.data(), b.data(), 0, 2) == 0);
}

TEST_CASE("cg: vectors are filled and scaled") {
  std::vector<double> a(100);
  std::vector<double> b(100);
  for (const int threads : {1, 3}) {
    fill(a.data(), 100, 1.5 * threads, threads);
    CHECK(a == std::vector<double>(100, 1.5 * threads));
    scale(2.0, a.data(), b.data(), 99, threads);
    CHECK(b[98] == 3.0 * threads);
    CHECK(b[99] == 0);
    scale(3.0, b.data(), b.data(), 100, threads);
    CHECK(b[0] == 9.0 * threads);
    fill(b.data(), 100, 0.0, threads);
  }
}
