#include "harness/session/results_folder.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "support/folder.hpp"
#include "vm/status.hpp"

using namespace nasvm;

TEST_CASE("results folder: one that was made and into which nothing came is removed, others stay") {
  const test::Folder around;
  const std::string path = around.file("deep/results");
  {
    const ResultsFolder folder("--out", path);
    CHECK(std::filesystem::is_directory(path));
  }
  CHECK_FALSE(std::filesystem::exists(around.file("deep")));
  {
    const ResultsFolder folder("--out", path);
    (void)around.write("deep/results/figures.json", "{}");
  }
  CHECK(std::filesystem::exists(path + "/figures.json"));
  std::filesystem::remove(path + "/figures.json");
  { const ResultsFolder folder("--out", path); }
  CHECK(std::filesystem::is_directory(path));
}

TEST_CASE("results folder: what cannot be made is wrong usage") {
  const test::Folder around;
  CHECK_THROWS_WITH(ResultsFolder("--out", around.write("file", "") + "/results"), Catch::StartsWith("--out "));
}
