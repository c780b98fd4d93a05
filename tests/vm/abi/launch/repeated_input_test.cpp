/// \file
/// Input for several programs, by hand.

#include "vm/abi/launch/repeated_input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

#include "support/folder.hpp"
#include "support/process.hpp"
#include "vm/process/pipe.hpp"

using namespace nasvm;
using namespace nasvm::abi;
using namespace nasvm::test;

namespace {

void write_all_of(const net::Fd& pipe, const std::string& text) {
  REQUIRE(::write(pipe.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

/// All that comes to the program, up to so many bytes or the end.
std::string carried(RepeatedPipe& input, const net::Fd& program, std::size_t bytes) {
  std::string all;
  std::array<char, 4096> text;
  while (all.size() < bytes) {
    input.go_on();
    const ssize_t count = ::read(program.get(), text.data(), std::min(text.size(), bytes - all.size()));
    if (count <= 0) break;
    all.append(text.data(), static_cast<std::size_t>(count));
  }
  return all;
}

constexpr std::size_t till_end = 1'000'000;

}  // namespace

TEST_CASE("repeated input: another program has what the one before has not read, too", "[exec]") {
  process::Pipe source;
  auto input = RepeatedPipe::of(source.read.get());
  REQUIRE(input.has_value());
  write_all_of(source.write, "first second ");
  {
    const net::Fd program = input->open();
    CHECK(carried(*input, program, 6) == "first ");
  }
  input->go_on();  // nobody reads
  std::vector<pollfd> watched;
  input->watch(watched);
  CHECK(watched.empty());
  write_all_of(source.write, "third");
  source.write.reset();
  for (int program = 0; program < 2; ++program) {
    const net::Fd pipe = input->open();
    CHECK(carried(*input, pipe, till_end) == "first second third");
  }
}

TEST_CASE("repeated input: more than a pipe holds comes piece by piece", "[exec]") {
  process::Pipe source;
  auto input = RepeatedPipe::of(source.read.get());
  REQUIRE(input.has_value());
  const std::string piece(50'000, 'x');
  const net::Fd first = input->open();
  for (int i = 0; i < 4; ++i) {
    write_all_of(source.write, piece);
    CHECK(carried(*input, first, piece.size()) == piece);
  }
  source.write.reset();
  CHECK(carried(*input, first, till_end).empty());
  const net::Fd second = input->open();
  CHECK(carried(*input, second, till_end).size() == 4 * piece.size());
}

TEST_CASE("repeated input: what is too long to be kept comes to one program, and to no other", "[exec]") {
  process::Pipe source;
  auto input = RepeatedPipe::of(source.read.get(), 8);
  REQUIRE(input.has_value());
  const net::Fd first = input->open();
  write_all_of(source.write, "12345678");
  CHECK(carried(*input, first, 8) == "12345678");
  CHECK_FALSE(input->is_too_long());
  write_all_of(source.write, "9");
  source.write.reset();
  CHECK(carried(*input, first, till_end) == "9");
  CHECK(input->is_too_long());
  CHECK_FALSE(input->open());
}

TEST_CASE("repeated input: files are read again, pipes are kept, devices are neither", "[exec]") {
  const process::Pipe pipe;
  const net::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Folder folder;
  const net::Fd file(::open(folder.write("f", "text").c_str(), O_RDONLY | O_CLOEXEC));
  CHECK(RepeatedFile::of(file.get()).has_value());
  CHECK_FALSE(RepeatedPipe::of(file.get()).has_value());
  CHECK_FALSE(RepeatedFile::of(pipe.read.get()).has_value());
  CHECK(RepeatedPipe::of(pipe.read.get()).has_value());
  CHECK_FALSE(RepeatedPipe::of(pipe.write.get()).has_value());
  for (const int other : {null.get(), -1}) {
    CHECK_FALSE(RepeatedFile::of(other).has_value());
    CHECK_FALSE(RepeatedPipe::of(other).has_value());
  }
}
