#include "vm/launch/scratch_folder.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>

using namespace nasvm;
using Places = std::vector<std::string_view>;

TEST_CASE("a place without room comes after those that have it", "[scratch_folder]") {
  const std::array<std::string_view, 3> places{"/proc", "/no/such/folder", "/"};  // /proc never has room
  CHECK(by_room(places, 1) == Places{"/", "/proc", "/no/such/folder"});
}

TEST_CASE("places keep their order when all have room, and when none has", "[scratch_folder]") {
  const std::array<std::string_view, 2> places{"/proc", "/"};
  CHECK(by_room(places, 0) == Places{"/proc", "/"});
  CHECK(by_room(places, std::uintmax_t{1} << 62) == Places{"/proc", "/"});
}

TEST_CASE("a scratch folder goes with its object, and what lies in it", "[scratch_folder]") {
  std::string path;
  {
    const ScratchFolder folder;
    path = folder.path();
    REQUIRE(std::filesystem::is_directory(path));
    std::filesystem::create_directory(path + "/inside");
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
