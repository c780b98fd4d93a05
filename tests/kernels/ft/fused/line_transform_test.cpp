#include "kernels/ft/fused/line_transform.hpp"

#include <catch2/catch.hpp>
#include <numeric>

#include "kernels/common/random.hpp"
#include "kernels/ft/field.hpp"
#include "kernels/ft/reference_dft.hpp"
#include "support/worse.hpp"

using namespace nasvm;
using namespace nasvm::ft;

namespace {

using Line = std::vector<std::complex<double>>;

/// `vector_lines` different lines of n numbers.
std::vector<Line> random_lines(std::int64_t n) {
  NpbRandom random(seed);
  std::vector<Line> lines(static_cast<std::size_t>(vector_lines));
  for (Line& line : lines) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double re = random.next() - 0.5;
      line.emplace_back(re, random.next() - 0.5);
    }
  }
  return lines;
}

Point gather(const std::vector<Line>& lines, std::int64_t i) {
  const auto at = [&](auto lane) { return lines[lane][static_cast<std::size_t>(i)]; };
  return {Reals([&](auto lane) { return at(lane).real(); }), Reals([&](auto lane) { return at(lane).imag(); })};
}

std::vector<Line> transformed(const std::vector<Line>& lines, const LineTransform& transform) {
  const std::int64_t n = transform.points();
  Field buffer((transform.buffer_doubles() + 1) / 2);
  std::vector<Line> result(lines.size(), Line(static_cast<std::size_t>(n)));
  transform.run(
      [&](auto& points, std::int64_t j) {
        const std::int64_t step = n / static_cast<std::int64_t>(points.size());
        for (std::size_t t = 0; t < points.size(); ++t) {
          points[t] = gather(lines, j + static_cast<std::int64_t>(t) * step);
        }
      },
      [&](const Points<8>& points, std::int64_t f) {
        for (std::size_t q = 0; q < 8; ++q) {
          for (std::size_t lane = 0; lane < lines.size(); ++lane) {
            result[lane].at(static_cast<std::size_t>(f) + q * static_cast<std::size_t>(n / 8)) = {points[q].re[lane],
                                                                                                  points[q].im[lane]};
          }
        }
      },
      reinterpret_cast<double*>(buffer.data()));
  return result;
}

}  // namespace

TEST_CASE("ft line transform: equals the definition for every power of two of the classes, each lane its own line") {
  for (std::int64_t n = 32; n <= 2048; n *= 2) {
    const std::vector<Line> lines = random_lines(n);
    LineTransform transform(n);
    const std::vector<Line> result = transformed(lines, transform);
    transform.make_roots();
    CHECK(transformed(lines, transform) == result);
    for (std::size_t lane = 0; lane < lines.size(); lane += 3) {
      const Line expected = ft::test::reference_dft(lines[lane], -1);
      double worst = 0;
      for (std::size_t k = 0; k < expected.size(); ++k)
        worst = nasvm::test::worse(worst, std::abs(result[lane][k] - expected[k]));
      // The frequencies of n numbers of about a third are about sqrt(n / 6).
      CHECK(worst < 4e-16 * std::sqrt(static_cast<double>(n)) * std::log2(static_cast<double>(n)));
    }
  }
}

TEST_CASE("ft line transform: 4096 and 8192 points, a wave of one frequency ends up in it alone") {
  for (const std::int64_t n : {4096, 8192}) {
    std::vector<Line> lines(static_cast<std::size_t>(vector_lines));
    for (std::size_t lane = 0; lane < lines.size(); ++lane) {
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t turn = (1000 + static_cast<std::int64_t>(lane)) * i % n;
        lines[lane].push_back(
            std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(n)));
      }
    }
    const std::vector<Line> result = transformed(lines, LineTransform(n));
    for (std::size_t lane = 0; lane < lines.size(); ++lane) {
      for (std::size_t k = 0; k < result[lane].size(); ++k) {
        const double expected = k == 1000 + lane ? static_cast<double>(n) : 0;
        REQUIRE(std::abs(result[lane][k] - expected) < 1e-11);
      }
    }
  }
}

TEST_CASE("ft block_lines: a transpose exchanges vectors and elements") {
  RealsArray rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = Reals([&](auto lane) { return static_cast<double>(10 * i + lane); });
  }
  transpose(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t lane = 0; lane < rows.size(); ++lane) CHECK(rows[i][lane] == static_cast<double>(10 * lane + i));
  }
}
