#include "vm/write_all.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <thread>

#include "vm/net/fd.hpp"

using namespace nasvm;

TEST_CASE("a text is written whole, also where the descriptor does not block", "[write all]") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const net::Fd from(ends[0]);
  net::Fd to(ends[1]);
  if (GENERATE(true, false)) REQUIRE(::fcntl(to.get(), F_SETFL, O_NONBLOCK) == 0);
  const std::string text(1'000'000, 'x');  // more than a pipe takes at once
  std::string read;
  std::thread reader([&] {
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = ::read(from.get(), part.data(), part.size())) > 0;)
      read.append(part.data(), static_cast<std::size_t>(count));
  });
  const int error = write_all(to.get(), text);
  to.reset();
  reader.join();
  CHECK(error == 0);
  CHECK(read == text);
}

TEST_CASE("what cannot be written is an error of the system's", "[write all]") {
  const net::Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  CHECK(write_all(full.get(), "x") == ENOSPC);
  CHECK(write_all(full.get(), "") == 0);
}
