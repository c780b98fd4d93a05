#include "kernels/common/tuning_choice.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("tuning choice: sizes of caches as people write them") {
  CHECK(cache_size_text(32 * 1024) == "32 KiB");
  CHECK(cache_size_text(1020 * 1024) == "1020 KiB");
  CHECK(cache_size_text(1.25 * 1024 * 1024) == "1.25 MiB");
  CHECK(cache_size_text(2000.4 * 1024 * 1024) == "2000 MiB");
}
