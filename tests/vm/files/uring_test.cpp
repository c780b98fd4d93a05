#include "vm/files/uring.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include "support/folder.hpp"
#include "support/skip.hpp"
#include "vm/net/fd.hpp"

using namespace nasvm;
using namespace nasvm::files;
using namespace nasvm::test;

namespace {

/// Descriptors of all rings that this process has.
std::set<int> rings() {
  std::set<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.find("[io_uring]") != std::string::npos) found.insert(std::stoi(entry.path().filename().string()));
  }
  return found;
}

}  // namespace

TEST_CASE("a ring that is none any more does nothing, and waits for nothing", "[files]") {
  const std::set<int> others = rings();
  const auto ring = Uring::make();
  if (ring == nullptr) return skip("there is no io_uring here");
  int descriptor = -1;
  for (const int fd : rings()) {
    if (!others.contains(fd)) descriptor = fd;
  }
  REQUIRE(descriptor >= 0);
  Folder folder;
  const net::Fd file(::open(folder.file("a").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  REQUIRE(file.get() >= 0);
  std::array<std::byte, 16> bytes{};
  const std::array<iovec, 1> part{iovec{bytes.data(), bytes.size()}};
  const auto results = [&] {
    std::array<Uring::Transfer, 3> transfers;
    for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i] = {file.get(), i * bytes.size(), part};
    constexpr std::size_t at_a_time = 2;
    ring->run(transfers, Uring::Direction::write, at_a_time);
    return std::array{transfers[0].result, transfers[1].result, transfers[2].result};
  };
  CHECK(results() == std::array<std::int64_t, 3>{16, 16, 16});
  // As in a program that closes every descriptor, and opens others.
  const net::Fd other(::open("/dev/null", O_RDWR | O_CLOEXEC));
  REQUIRE(::dup2(other.get(), descriptor) == descriptor);
  for (int times = 0; times < 2; ++times) CHECK(results() == std::array<std::int64_t, 3>{-1, -1, -1});
}
