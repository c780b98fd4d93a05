#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "support/thread_machine.hpp"
#include "vm/collective/collective_test.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

/// Numbers of very different size, so that every other order of adding them rounds differently.
double rough(Rank rank, std::size_t i) {
  const double mantissa = 1.0 + static_cast<double>((index(rank) * 7919 + i * 104'729) % 9973) / 9973.0;
  return std::ldexp(mantissa, static_cast<int>((index(rank) * 31 + i * 17) % 60)) * (i % 2 == 0 ? 1 : -1);
}

}  // namespace

TEMPLATE_TEST_CASE("allreduce: everybody has the sum", "[collective]", std::uint8_t, int, float, double,
                   std::complex<double>) {
  for (const int ranks : rank_counts) {
    for (const std::size_t length : lengths) {
      INFO("ranks " << ranks << ", length " << length);
      const auto expected = combined<TestType>(ranks, length, Sum{}, contribution<TestType>);
      std::vector<std::vector<TestType>> results(index(ranks));
      run_ranks(ranks, [&](Comm& comm) {
        auto& data = results[index(comm.rank())];
        data = contributions<TestType>(comm.rank(), length);
        comm.allreduce(data);
      });
      for (const auto& result : results) REQUIRE(difference(result, expected) == "");
    }
  }
}

TEST_CASE("allreduce: everybody has the same bits", "[collective]") {
  for (const int ranks : rank_counts) {
    for (const std::size_t length : lengths) {
      INFO("ranks " << ranks << ", length " << length);
      std::vector<std::vector<std::uint64_t>> bits(index(ranks));
      run_ranks(ranks, [&](Comm& comm) {
        std::vector<double> data(length);
        for (std::size_t i = 0; i < length; ++i) data[i] = rough(comm.rank(), i);
        comm.allreduce(data);
        for (const double value : data) bits[index(comm.rank())].push_back(std::bit_cast<std::uint64_t>(value));
      });
      for (const auto& of_rank : bits) REQUIRE(difference(of_rank, bits[0]) == "");
    }
  }
}

TEST_CASE("allreduce: products of complex numbers have the same bits everywhere", "[collective]") {
  for (const int ranks : rank_counts) {
    INFO("ranks " << ranks);
    std::vector<std::vector<std::complex<double>>> results(index(ranks));
    run_ranks(ranks, [&](Comm& comm) {
      auto& data = results[index(comm.rank())];
      for (std::size_t i = 0; i < 37; ++i) {
        data.emplace_back(std::sin(rough(comm.rank(), i)), std::cos(rough(comm.rank(), i + 1)));
      }
      comm.allreduce(data, Product{});
    });
    for (const auto& result : results) REQUIRE(difference(result, results[0]) == "");
  }
}

TEST_CASE("allreduce: keeps rank order where the operation is not commutative", "[collective]") {
  for (const int ranks : rank_counts) {
    for (const std::size_t length : lengths) {
      INFO("ranks " << ranks << ", length " << length);
      const auto expected = combined<std::uint64_t>(ranks, length, Compose{}, affine_map);
      std::vector<std::vector<std::uint64_t>> results(index(ranks));
      run_ranks(ranks, [&](Comm& comm) {
        auto& data = results[index(comm.rank())];
        data = affine_maps(comm.rank(), length);
        comm.allreduce(data, Compose{});
      });
      for (const auto& result : results) REQUIRE(difference(result, expected) == "");
    }
  }
}

TEST_CASE("allreduce: takes an operation that carries values of its own", "[collective]") {
  std::vector<int> results(5);
  run_ranks(5, [&](Comm& comm) {
    const int modulus = 11;
    const auto times = [modulus](int a, int b) { return a * b % modulus; };
    results[index(comm.rank())] = comm.allreduce_value(comm.rank() + 2, times);
  });
  CHECK(results == std::vector<int>(5, 720 % 11));
}
