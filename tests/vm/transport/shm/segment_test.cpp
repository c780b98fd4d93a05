#include "vm/transport/shm/segment.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "support/packet_recorder.hpp"
#include "vm/status.hpp"
#include "vm/transport/shm/doorbell.hpp"
#include "vm/transport/shm/peer_memory.hpp"

using namespace nasvm;
using namespace nasvm::shm;
using nasvm::test::pattern;

namespace {

std::string part_of(std::string descriptor, int index) {
  for (int i = 0; i < index; ++i) descriptor.erase(0, descriptor.find(':') + 1);
  return descriptor.substr(0, descriptor.find(':'));
}

/// Replaces the part of a descriptor ("pid:fd:boot:token:ring") with that index.
std::string with_part(std::string descriptor, int index, const std::string& text) {
  std::size_t begin = 0;
  for (int i = 0; i < index; ++i) begin = descriptor.find(':', begin) + 1;
  const std::size_t end = std::min(descriptor.find(':', begin), descriptor.size());
  return descriptor.replace(begin, end - begin, text);
}

}  // namespace

TEST_CASE("what a sender writes is what the segment's owner reads", "[shm]") {
  Segment segment(3, 16 * 1024, 5, LongMessages::fetched);
  PeerSegment peer(segment.descriptor(), 2);
  CHECK(peer.pid() == ::getpid());
  CHECK(peer.header().bell_fd == 5);
  CHECK(peer.preference() == LongMessages::fetched);
  CHECK_FALSE(segment.in_use(2));
  RingWriter writer = peer.writer();
  CHECK(segment.in_use(2));
  CHECK_FALSE(segment.in_use(1));
  CHECK(segment.header().users == 1);
  Envelope envelope;
  envelope.tag = 42;
  envelope.payload_bytes = 1000;
  const auto payload = pattern(1000);
  REQUIRE(writer.try_put(envelope, payload.data()));
  RingReader reader = segment.reader(2);
  REQUIRE(reader.front() != nullptr);
  CHECK(reader.front()->envelope.tag == 42);
  CHECK(std::equal(payload.begin(), payload.end(), reader.front()->payload()));
  CHECK(segment.reader(1).front() == nullptr);
}

TEST_CASE("a segment that is not the peer's is not taken for it", "[shm]") {
  const Segment segment(2, 16 * 1024, -1, LongMessages::through_ring);
  const Segment other(2, 16 * 1024, -1, LongMessages::through_ring);
  const std::string descriptor = segment.descriptor();
  const std::string token = part_of(other.descriptor(), 3);
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 3, token), 0), Contains("namespace"));
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 2, "another-boot"), 0), Contains("another computer"));
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 1, "999999"), 0), Contains("namespace"));
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 0, "4194305"), 0), Contains("namespace"));
  CHECK_THROWS_AS(PeerSegment(descriptor, 2), RunError);  // there are rings 0 and 1
  for (const char* text : {"", "1", "a:b:c:d", "1:2:3", "1:2:3:4:5:6"})
    CHECK_THROWS_AS(PeerSegment(text, 0), RunError);
  CHECK_NOTHROW(PeerSegment(descriptor, 1));
}

TEST_CASE("rings shrink with the number of tasks, so that their sum stays bounded", "[shm]") {
  CHECK(default_ring_bytes(1) == 256 * 1024);
  CHECK(default_ring_bytes(8) == 256 * 1024);
  for (std::size_t tasks = 1; tasks <= 1000; ++tasks) {
    const std::size_t bytes = default_ring_bytes(tasks);
    CAPTURE(tasks);
    REQUIRE(std::has_single_bit(bytes));
    REQUIRE(bytes >= 16 * 1024);
    REQUIRE((tasks * bytes <= 2 * 1024 * 1024 || bytes == 16 * 1024));
  }
}

TEST_CASE("memory of a process is read where that is allowed, and refused without harm where not", "[shm]") {
  const auto there = pattern(300'000, 4);
  std::vector<std::byte> here(there.size());
  const auto address = reinterpret_cast<std::uintptr_t>(there.data());
  Segment segment(1, 16 * 1024, -1, LongMessages::through_ring);
  const bool allowed = PeerSegment(segment.descriptor(), 0).can_pull();
  CHECK(read_memory(::getpid(), address, here) == allowed);
  if (allowed) CHECK(here == there);
  CHECK_FALSE(read_memory(::getpid(), 16, here));
  CHECK_FALSE(read_memory(4194305, address, here));
}

TEST_CASE("a doorbell rings until it is silenced, and again after that", "[shm]") {
  Doorbell bell;
  BellRope rope(::getpid(), bell.fd());
  char byte = 0;
  for (int round = 0; round < 3; ++round) {
    for (int rings = 0; rings < 100'000; ++rings) rope.ring();  // more than the pipe holds
    bell.silence();
    CHECK(::read(bell.fd(), &byte, 1) == -1);
    rope.ring();
    CHECK(::read(bell.fd(), &byte, 1) == 1);
  }
}

TEST_CASE("a bell that has gone is rung without effect", "[shm]") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  BellRope of_nobody(child, 5);
  CHECK_NOTHROW(of_nobody.ring());
  int descriptor = 0;
  {
    const Doorbell bell;
    descriptor = bell.fd();
  }
  BellRope closed(::getpid(), descriptor);
  CHECK_NOTHROW(closed.ring());
}
