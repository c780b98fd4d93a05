#include <catch2/catch.hpp>

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"
#include "vm/abi/mpi/info.hpp"

using namespace nasvm::mpi;

namespace {

std::string value_of(Info& info, const char* key, int length = max_info_value) {
  std::array<char, max_info_value + 1> text{};
  int found = 0;
  api::info_get(&info, key, length, text.data(), &found);
  return found != 0 ? text.data() : "(none)";
}

}  // namespace

TEST_CASE("an info object keeps texts under keys, in the order in which they came", "[mpi]") {
  Info info;
  api::info_set(&info, "second", "b");
  api::info_set(&info, "first", "a");
  api::info_set(&info, "second", "c");
  int keys = 0;
  api::info_get_nkeys(&info, &keys);
  CHECK(keys == 2);
  std::array<char, max_info_key + 1> key{};
  api::info_get_nthkey(&info, 0, key.data());
  CHECK(std::string(key.data()) == "second");
  CHECK(value_of(info, "second") == "c");
  CHECK(value_of(info, "third") == "(none)");
}

TEST_CASE("a text is cut to the room that there is for it", "[mpi]") {
  Info info;
  api::info_set(&info, "key", "a long text");
  CHECK(value_of(info, "key", 6) == "a long");
}

TEST_CASE("a copy of an info object lives on its own", "[mpi]") {
  Info info;
  api::info_set(&info, "key", "value");
  Info* copy = nullptr;
  api::info_dup(&info, copy);
  api::info_delete(&info, "key");
  CHECK(value_of(info, "key") == "(none)");
  CHECK(value_of(*copy, "key") == "value");
  api::info_free(copy);
  CHECK(copy == nullptr);
}

TEST_CASE("keys that are not there or too long are errors", "[mpi]") {
  Info info;
  CHECK_THROWS_AS(api::info_delete(&info, "key"), Failure);
  CHECK_THROWS_AS(api::info_set(&info, "", "value"), Failure);
  CHECK_THROWS_AS(api::info_set(&info, std::string(max_info_key, 'k').c_str(), "value"), Failure);
  CHECK_THROWS_AS(api::info_set(&info, "key", std::string(max_info_value, 'v').c_str()), Failure);
  std::array<char, max_info_key + 1> key{};
  CHECK_THROWS_AS(api::info_get_nthkey(&info, 0, key.data()), Failure);
}
