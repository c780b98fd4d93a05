#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/storage.hpp"
#include "kernels/cg/tiled_slices.hpp"

using namespace nasvm;
using namespace nasvm::cg;

namespace {

constexpr std::uint64_t kib = 1 << 10;
constexpr std::uint64_t mib = 1 << 20;

struct Processor {
  const char* name;
  std::vector<Cache> caches;
};

const std::vector<Processor> processors{
    {"Zen 4 and Zen 5", {{1, 32 * kib, 2}, {2, 1 * mib, 2}, {3, 32 * mib, 16}}},
    {"Cascade Lake", {{1, 32 * kib, 1}, {2, 1 * mib, 1}, {3, 36 * mib, 2}}},
    {"Sapphire Rapids", {{1, 48 * kib, 2}, {2, 2 * mib, 2}, {3, 105 * mib, 112}}},
};

double elements_in(std::uint64_t bytes) { return static_cast<double>(bytes) / stored_element_bytes; }

}  // namespace

TEST_CASE("cg: a slab is halved beyond all caches, tried in the shared one, and left alone in a core's own") {
  for (const Processor& processor : processors) {
    INFO(processor.name);
    const std::uint64_t own = processor.caches[1].bytes;
    const std::uint64_t last = processor.caches[2].bytes;
    CHECK(storage_for(elements_in(own / 2), processor.caches) == Storage::full);
    CHECK(storage_for(elements_in(2 * own), processor.caches) == Storage::faster);
    CHECK(storage_for(elements_in(last - 1 * mib), processor.caches) == Storage::faster);
    CHECK(storage_for(elements_in(last + 1 * mib), processor.caches) == Storage::half_square);
  }
}

TEST_CASE("cg: without a shared cache a slab is halved as soon as it leaves the core's own") {
  const std::vector<Cache> caches{{1, 32 * kib, 1}, {2, 1 * mib, 1}};
  CHECK(storage_for(elements_in(1 * mib), caches) == Storage::full);
  CHECK(storage_for(elements_in(2 * mib), caches) == Storage::half_square);
}
