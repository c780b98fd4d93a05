#include "vm/transport/shm/segment.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <string>

#include "support/file_size_limit.hpp"
#include "support/packet_recorder.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"
#include "vm/process/pipe.hpp"
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

/// Replaces the part of a descriptor ("pid:fd:boot:token:ring:namespace") with that index.
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
  const RingReader::Packet packet = reader.front();
  REQUIRE(packet);
  CHECK(packet.envelope->tag == 42);
  CHECK(std::equal(payload.begin(), payload.end(), packet.payload));
  CHECK_FALSE(segment.reader(1).front());
}

TEST_CASE("a segment that is not the peer's is not taken for it", "[shm]") {
  const Segment segment(2, 16 * 1024, -1, LongMessages::through_ring);
  const Segment other(2, 16 * 1024, -1, LongMessages::through_ring);
  const std::string descriptor = segment.descriptor();
  const std::string token = part_of(other.descriptor(), 3);
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 3, token), 0), Contains("gone"));
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 2, "another-boot"), 0), Contains("another computer"));
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 1, "999999"), 0), Contains("gone"));
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 0, "4194305"), 0), Contains("gone"));
  CHECK_THROWS_WITH(PeerSegment(with_part(descriptor, 5, "1"), 0), Contains("another process namespace"));
  CHECK_THROWS_AS(PeerSegment(descriptor, 2), RunError);  // there are rings 0 and 1
  for (const char* text : {"", "1", "a:b:c:d", "1:2:3", "1:2:3:4:5:6", "1:2:3:4:5:6:7"})
    CHECK_THROWS_AS(PeerSegment(text, 0), RunError);
  CHECK_NOTHROW(PeerSegment(descriptor, 1));
}

TEST_CASE("a segment that is longer than files may be is refused with the reason", "[shm]") {
  std::string reason;
  {
    const test::FileSizeLimit limit(1024);
    try {
      const Segment segment(2, 16 * 1024, -1, LongMessages::fetched);
    } catch (const RunError& error) {
      reason = error.what();
    }
  }
  CHECK(reason == "cannot create shared memory: File too large");
}

TEST_CASE("that an owner has left is seen, also before anybody has waited for it", "[shm]") {
  process::Pipe told, go_on;
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string descriptor = Segment(1, 16 * 1024, -1, LongMessages::through_ring).descriptor();
    // Its memory is gone with it in any case: while it lives it is not asked for that.
    if (::write(told.write.get(), descriptor.data(), descriptor.size()) < 0) ::_exit(1);
    char wait = 0;
    ::_exit(::read(go_on.read.get(), &wait, 1) == 1 ? 0 : 1);
  }
  std::array<char, 500> text{};
  const ssize_t length = ::read(told.read.get(), text.data(), text.size());
  REQUIRE(length > 0);
  const std::string descriptor(text.data(), static_cast<std::size_t>(length));
  REQUIRE(::write(go_on.write.get(), "x", 1) == 1);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(owner_has_left(descriptor));
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(owner_has_left(descriptor));
  CHECK_FALSE(owner_has_left(with_part(descriptor, 2, "another-boot")));
  CHECK_FALSE(owner_has_left(with_part(descriptor, 5, "1")));
  CHECK_FALSE(owner_has_left(""));
  const Segment alive(1, 16 * 1024, -1, LongMessages::through_ring);
  CHECK_FALSE(owner_has_left(alive.descriptor()));
}

TEST_CASE("what an owner puts on its board is where its peers have mapped it", "[shm]") {
  Segment segment(2, 16'384, -1, LongMessages::fetched);
  PeerSegment peer(segment.descriptor(), 0);
  const auto message = pattern(10'000);
  const auto address = reinterpret_cast<std::uintptr_t>(message.data());
  CHECK(peer.find_on_board(address, message.size()) == nullptr);  // there is none
  for (const std::size_t bytes : {std::size_t{5'000}, message.size(), std::size_t{300'000}}) {
    CAPTURE(bytes);
    const auto board = segment.board(bytes);
    REQUIRE(board.size() == bytes);
    const std::size_t length = std::min(bytes, message.size());
    std::copy_n(message.begin(), length, board.begin());
    const auto at = reinterpret_cast<std::uintptr_t>(board.data());
    const std::byte* here = peer.find_on_board(at, length);
    REQUIRE(here != nullptr);
    CHECK(here != board.data());
    CHECK(std::equal(here, here + length, message.begin()));
    CHECK(peer.find_on_board(at + 100, length - 100) == here + 100);
    CHECK(peer.find_on_board(address, length) == nullptr);
    CHECK(peer.find_on_board(at - 1, 1) == nullptr);
    CHECK(peer.find_on_board(at, bytes + 1'048'576) == nullptr);
    CHECK(peer.find_on_board(~std::uint64_t{0}, 2) == nullptr);
  }
  CHECK(segment.board(100).data() == segment.board(300'000).data());
}

TEST_CASE("a board that cannot be mapped is none", "[shm]") {
  Segment segment(2, 16'384, -1, LongMessages::fetched);
  const auto board = segment.board(10'000);
  const auto at = reinterpret_cast<std::uintptr_t>(board.data());
  BoardPlace& place = segment.header().board;
  SECTION("shorter than it should be") { place.bytes = 1'048'576; }
  SECTION("closed") { place.fd = 999'999; }
  PeerSegment peer(segment.descriptor(), 0);
  CHECK(peer.find_on_board(at, 10) == nullptr);
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
  const Segment segment(1, 16 * 1024, bell.fd(), LongMessages::fetched);
  BellRope rope(PeerSegment(segment.descriptor(), 0).open_bell());
  char byte = 0;
  for (int round = 0; round < 3; ++round) {
    for (int rings = 0; rings < 100'000; ++rings) rope.ring();  // more than the pipe holds
    bell.silence();
    CHECK(::read(bell.fd(), &byte, 1) == -1);
    rope.ring();
    CHECK(::read(bell.fd(), &byte, 1) == 1);
  }
}

/// What a process publishes, or reads, that has a segment and a doorbell.
struct Owner {
  Doorbell bell;
  Segment segment{1, 16 * 1024, bell.fd(), LongMessages::fetched};
};

/// A process that has an Owner, and waits.
struct OwnerProcess {
  OwnerProcess() {
    process::Pipe pipe;
    pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is ended must not leave it behind
      const Owner owner;
      const std::string text = owner.segment.descriptor();
      (void)!::write(pipe.write.get(), text.data(), text.size());
      for (;;) ::pause();
    }
    std::array<char, 256> text{};
    (void)!::read(pipe.read.get(), text.data(), text.size() - 1);
    descriptor = text.data();
  }
  void kill() const {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  pid_t pid = -1;
  std::string descriptor;
};

TEST_CASE("a bell that has gone is rung without effect", "[shm]") {
  const OwnerProcess owner;
  const PeerSegment peer(owner.descriptor, 0);
  CHECK(peer.open_bell());
  owner.kill();
  CHECK_FALSE(peer.open_bell());
  BellRope of_nobody(peer.open_bell());
  CHECK_NOTHROW(of_nobody.ring());
}

TEST_CASE("a bell that there are no descriptors for is not taken for one that has gone", "[shm]") {
  const OwnerProcess owner;
  const PeerSegment peer(owner.descriptor, 0);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  for (const rlim_t spare : {0, 1, 2}) {
    const net::Fd lowest(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit few{static_cast<rlim_t>(lowest.get()) + 1 + spare, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    bool refused = false;
    try {
      (void)peer.open_bell();
    } catch (const RunError&) {
      refused = true;
    }
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(refused);
  }
  CHECK(peer.open_bell());
  owner.kill();
}

TEST_CASE("a process that has got a dead peer's number is not rung at", "[shm]") {
  const OwnerProcess owner;
  const PeerSegment peer(owner.descriptor, 0);
  owner.kill();
  // A new process of that number, with all the same descriptors open.
  pid_t numbers[] = {owner.pid};
  clone_args wanted{};
  wanted.exit_signal = SIGCHLD;
  wanted.set_tid = reinterpret_cast<std::uintptr_t>(numbers);
  wanted.set_tid_size = 1;
  const auto stranger = static_cast<pid_t>(::syscall(SYS_clone3, &wanted, sizeof wanted));
  if (stranger < 0) return test::skip(std::string("no process can be given a number: ") + std::strerror(errno));
  if (stranger == 0) {
    const Owner with_the_same_numbers;
    for (;;) ::pause();
  }
  REQUIRE(stranger == owner.pid);
  const std::string bell = "/proc/" + std::to_string(stranger) + "/fd/" + std::to_string(peer.header().bell_fd);
  CHECK(test::eventually([&] { return ::access(bell.c_str(), F_OK) == 0; }));
  CHECK_FALSE(peer.open_bell());
  owner.kill();
}

TEST_CASE("a peer of the other byte order, or of another layout, is refused with the reason", "[shm]") {
  using Catch::Matchers::Contains;
  const Segment segment(2, 16 * 1024, -1, LongMessages::through_ring);
  SegmentHeader& header = segment.header();
  header.layout = __builtin_bswap64(header.layout);
  header.rings = __builtin_bswap64(header.rings);
  header.ring_bytes = __builtin_bswap64(header.ring_bytes);
  CHECK_THROWS_WITH(PeerSegment(segment.descriptor(), 0), Contains("byte order"));
  header.layout = layout_mark + 1;
  CHECK_THROWS_WITH(PeerSegment(segment.descriptor(), 0), Contains("same version"));
}
