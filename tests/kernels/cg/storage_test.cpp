#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cg/processors.hpp"
#include "kernels/cg/storage.hpp"

using namespace nasvm;
using namespace nasvm::cg;
using namespace nasvm::cg::test;

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

TEST_CASE("cg: in a second-level cache that cores share both forms of a slab are tried") {
  const std::vector<Cache> caches{{1, 32 * kib, 1}, {2, 4 * mib, 4}, {3, 36 * mib, 24}};
  CHECK(storage_for(elements_in(16 * kib), caches) == Storage::full);
  CHECK(storage_for(elements_in(1 * mib), caches) == Storage::faster);
  CHECK(storage_for(elements_in(5 * mib), caches) == Storage::faster);
  CHECK(storage_for(elements_in(37 * mib), caches) == Storage::half_square);
}
