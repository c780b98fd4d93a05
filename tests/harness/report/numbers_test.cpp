#include "harness/report/numbers.hpp"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("numbers: four significant digits without exponent") {
  CHECK(number_text(1.2346) == "1.235");
  CHECK(number_text(123.45) == "123.5");
  CHECK(number_text(12345.6) == "12346");
  CHECK(number_text(0.012344) == "0.01234");
  CHECK(number_text(0.0000123) == "0.000012");
  CHECK(number_text(0) == "0");
}

TEST_CASE("numbers: rounding up to the next power of ten adds no digit") {
  CHECK(number_text(9.9996) == "10.00");
  CHECK(number_text(999.96) == "1000");
  CHECK(number_text(0.99999) == "1.000");
  CHECK(number_text(9999.7) == "10000");
}

TEST_CASE("numbers: capacities are exact, in the largest unit that they are whole in") {
  CHECK(capacity_text(0).empty());
  CHECK(capacity_text(100) == "100 B");
  CHECK(capacity_text(48 << 10) == "48 KiB");
  CHECK(capacity_text(1280 << 10) == "1280 KiB");
  CHECK(capacity_text(32 << 20) == "32 MiB");
}

TEST_CASE("numbers: what is not finite is a dash") {
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "-");
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(factor_text(1 / 0.0) == "-");
}

TEST_CASE("numbers: one column keeps its points below each other") {
  CHECK(decimals_for(std::vector<double>{2.125, 0.6875}) == 3);
  CHECK(decimals_for(std::vector<double>{250.1, 0.0123}) == 3);
  CHECK(decimals_for(std::vector<double>{0, std::numeric_limits<double>::quiet_NaN()}) == 0);
  CHECK(fixed_text(0.6875, 3) == "0.688");
  CHECK(fixed_text(0, 3) == "0");
}

TEST_CASE("numbers: factors and bytes") {
  CHECK(factor_text(1.534) == "1.53x");
  CHECK(factor_text(9.996) == "10.0x");
  CHECK(factor_text(153.4) == "153x");
  CHECK(factor_text(0.0996) == "0.0996x");
  CHECK(factor_text(0.09996) == "0.10x");
  CHECK(factor_text(0.45 / 208.74) == "0.00216x");
  CHECK(factor_text(0) == "0.00x");
  CHECK(bytes_text(512) == "512 B");
  CHECK(bytes_text(24684092000) == "24.7 GB");
  CHECK(bytes_text(999999) == "1.0 MB");
}

TEST_CASE("numbers: a ratio has an interval where so few runs of two equal sides would seldom lie apart") {
  const std::vector<double> slow{2.0, 2.1, 2.2, 2.3, 2.4};
  const std::vector<double> fast{1.0, 1.1, 1.2, 1.3, 1.4};
  CHECK(interval_text(slow, fast) == "1.54-2.20");
  CHECK(interval_text(std::vector<double>{1, 2, 3, 4, 5}, std::vector<double>{40, 40, 40, 40, 40}) == "0.0250-0.12");
  CHECK(interval_text(std::span(slow).first(4), fast).empty());
  CHECK(interval_text(slow, std::span(fast).first(4)).empty());
}

TEST_CASE("numbers: a ratio has no interval where any value is no positive number") {
  const std::vector<double> good{1.0, 1.1, 1.2, 1.3, 1.4};
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinite, 0.0}) {
    const std::vector<double> one_bad{1.0, bad, 1.2, 1.3, 1.4};
    CHECK(interval_text(good, one_bad).empty());
    CHECK(interval_text(one_bad, good).empty());
  }
}
