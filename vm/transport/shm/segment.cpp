#include "vm/transport/shm/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "vm/auth.hpp"
#include "vm/memory_file.hpp"
#include "vm/probe/copy_rates.hpp"
#include "vm/proc.hpp"
#include "vm/status.hpp"
#include "vm/transport/shm/peer_memory.hpp"

namespace nasvm::shm {
namespace {

constexpr std::size_t smallest_ring = 16 * 1024;
constexpr std::size_t budget = 2 * 1024 * 1024;

[[noreturn]] void fail(const std::string& what) { throw RunError(what + ": " + std::strerror(errno)); }

/// To whole pages: mappings begin there.
std::size_t round_up(std::size_t bytes) {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

std::size_t front_bytes(std::size_t rings) { return round_up(sizeof(SegmentHeader) + rings * sizeof(RingControl)); }

std::size_t ring_at(std::size_t rings, std::size_t ring_bytes, std::size_t index) {
  return front_bytes(rings) + index * round_up(ring_bytes);
}

RingControl& control_of(std::byte* front, std::size_t index) {
  return reinterpret_cast<RingControl*>(front + sizeof(SegmentHeader))[index];
}

RingLines lines_of(std::byte* ring, std::size_t ring_bytes) {
  return {reinterpret_cast<Record*>(ring), ring_bytes / line_bytes};
}

/// At once, not page by page when they are first touched, which takes some microseconds each. Where the system cannot
/// (before Linux 5.14), it does that.
void make_memory(RingLines lines) {
  auto* const first = reinterpret_cast<std::byte*>(lines.data());
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const std::size_t skipped = round_up(address) - address;  // the rest of a page has come with what is before it
  const std::size_t end = round_up(address + lines.size_bytes());
  (void)::madvise(first + skipped, end - address - skipped, MADV_POPULATE_WRITE);
}

constexpr std::string_view fetch_word = "fetch";
constexpr std::string_view ring_word = "ring";

/// "pid:fd:boot:token:fetch:namespace" or "...:ring:namespace".
struct Place {
  pid_t pid = 0;
  int fd = -1;
  std::string boot;
  std::string token;
  LongMessages preference = LongMessages::through_ring;
  std::string processes;  ///< the namespace that `pid` is a number of
};

Place parse_descriptor(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  Place place;
  const auto number = [](const std::string& part, int& value) {
    return std::from_chars(part.data(), part.data() + part.size(), value).ec == std::errc();
  };
  if (parts.size() != 6 || !number(parts[0], place.pid) || !number(parts[1], place.fd)) {
    throw RunError("the peer's descriptor \"" + std::string(text) + "\" is not understood");
  }
  place.boot = parts[2];
  place.token = parts[3];
  if (parts[4] == fetch_word) place.preference = LongMessages::fetched;
  place.processes = parts[5];
  return place;
}

/// The process that has a number now, as its folder under /proc: what is opened below it is this process's, or fails,
/// also when the number has gone to another.
net::Fd open_process(pid_t pid) {
  const std::string folder = proc_folder(pid);
  return net::Fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/// What a process has open as `fd`. None: errno says why.
net::Fd open_of(const net::Fd& process, int fd, int flags) {
  if (!process) return {};
  const std::string path = "fd/" + std::to_string(fd);
  return net::Fd(::openat(process.get(), path.c_str(), flags | O_CLOEXEC));
}

bool nobody_there() { return errno == ENOENT || errno == ESRCH; }

[[noreturn]] void fail_to_open(const char* what, pid_t pid, int fd) {
  fail(std::string("the peer's ") + what + " cannot be opened (/proc/" + std::to_string(pid) + "/fd/" +
       std::to_string(fd) + ")");
}

net::Fd open_memory(const Place& place) {
  if (place.boot != boot_id()) throw RunError("the peer is on another computer");
  if (place.processes != process_namespace()) throw RunError("the peer is in another process namespace");
  net::Fd memory = open_of(open_process(place.pid), place.fd, O_RDWR);
  if (!memory && nobody_there()) throw RunError("the peer is gone");
  if (!memory) fail_to_open("memory", place.pid, place.fd);
  return memory;
}

/// False: it is not as long as that.
bool read_header(const net::Fd& memory, SegmentHeader& header) {
  return ::pread(memory.get(), static_cast<void*>(&header), sizeof header, 0) == static_cast<ssize_t>(sizeof header);
}

void check_layout(const SegmentHeader& header) {
  if (header.layout == layout_mark) return;
  if (header.layout == __builtin_bswap64(layout_mark)) throw RunError("the peer has the other byte order");
  throw RunError("the peer's shared memory is laid out in another way: are all programs of the same version?");
}

/// Where so many bytes have addresses from the border of a huge page on; somebody else may take them meanwhile.
void* free_place(std::size_t bytes) {
  const std::size_t room = bytes + huge_page_bytes;
  void* const memory = ::mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  ::munmap(memory, room);
  const std::uintptr_t beyond = reinterpret_cast<std::uintptr_t>(memory) % huge_page_bytes;
  return static_cast<std::byte*>(memory) + (huge_page_bytes - beyond) % huge_page_bytes;
}

}  // namespace

Mapping::Mapping(int fd, std::size_t offset, std::size_t bytes) : bytes_(bytes) {
  void* const hint = bytes >= huge_page_bytes ? free_place(bytes) : nullptr;
  void* memory = ::mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) fail("cannot map " + std::to_string(bytes) + " bytes of shared memory");
  data_ = static_cast<std::byte*>(memory);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

std::size_t default_ring_bytes(std::size_t senders) {
  return std::clamp(std::bit_floor(budget / std::max<std::size_t>(senders, 1)), smallest_ring, large_ring_bytes);
}

Segment::Segment(std::size_t senders, std::size_t ring_bytes, int bell_fd, LongMessages preference)
    : preference_(preference) {
  const std::size_t bytes = ring_at(senders, ring_bytes, senders);
  memory_ = make_memory_file("nasvm", bytes);
  if (!memory_) fail("cannot create shared memory");
  mapping_ = Mapping(memory_.get(), 0, bytes);
  const Secret random = make_secret();
  std::copy_n(random.begin(), token_.size(), token_.begin());
  auto* header = new (mapping_.data()) SegmentHeader;
  header->rings = senders;
  header->ring_bytes = ring_bytes;
  header->token_address = reinterpret_cast<std::uintptr_t>(token_.data());
  header->bell_fd = bell_fd;
  header->token = token_;
}

std::string Segment::descriptor() const {
  return std::to_string(::getpid()) + ":" + std::to_string(memory_.get()) + ":" + boot_id() + ":" + to_hex(token_) +
         ":" + std::string(preference_ == LongMessages::fetched ? fetch_word : ring_word) + ":" + process_namespace();
}

SegmentHeader& Segment::header() const { return *reinterpret_cast<SegmentHeader*>(mapping_.data()); }

RingReader Segment::reader(std::size_t index) const {
  const std::size_t ring_bytes = header().ring_bytes;
  std::byte* ring = mapping_.data() + ring_at(header().rings, ring_bytes, index);
  return {lines_of(ring, ring_bytes), control_of(mapping_.data(), index)};
}

bool Segment::in_use(std::size_t index) const {
  return control_of(mapping_.data(), index).in_use.load(std::memory_order_seq_cst) != 0;
}

bool Segment::take_waiting(std::size_t index) const {
  return control_of(mapping_.data(), index).writer_waits.exchange(0, std::memory_order_seq_cst) != 0;
}

std::span<std::byte> Segment::board(std::size_t bytes) {
  BoardPlace& place = header().board;
  if (place.bytes >= bytes) return {board_.data(), bytes};
  try {
    const std::size_t whole = round_up(bytes);
    net::Fd memory = make_memory_file("nasvm-board", whole);
    if (!memory) return {};
    board_ = Mapping(memory.get(), 0, whole);
    board_memory_ = std::move(memory);
    place.bytes = whole;
  } catch (const RunError&) {
    return {};
  }
  place.fd = board_memory_.get();
  place.address = reinterpret_cast<std::uintptr_t>(board_.data());
  place.number.fetch_add(1, std::memory_order_release);
  return {board_.data(), bytes};
}

bool owner_has_left(std::string_view descriptor) {
  if (descriptor.empty()) return false;
  const Place place = parse_descriptor(descriptor);
  if (place.boot != boot_id() || place.processes != process_namespace()) return false;
  const auto status = process_status(place.pid);
  // A process that nobody has waited for yet has a number still, and nothing open.
  if (!status || status->state == 'Z' || status->state == 'X') return true;
  return !open_of(open_process(place.pid), place.fd, O_RDWR) && nobody_there();
}

PeerSegment::PeerSegment(std::string_view descriptor, std::size_t index) : index_(index) {
  const Place place = parse_descriptor(descriptor);
  pid_ = place.pid;
  preference_ = place.preference;
  const net::Fd memory = open_memory(place);
  SegmentHeader seen;
  if (!read_header(memory, seen) || to_hex(seen.token) != place.token) {
    throw RunError("the peer is gone");  // the number has gone to another
  }
  check_layout(seen);
  if (index >= seen.rings) throw RunError("the peer's shared memory has no ring for this task");
  memory_fd_ = place.fd;
  token_ = seen.token;
  ring_bytes_ = seen.ring_bytes;
  front_ = Mapping(memory.get(), 0, front_bytes(seen.rings));
  ring_ = Mapping(memory.get(), ring_at(seen.rings, ring_bytes_, index), ring_bytes_);
  Token read_back{};
  can_pull_ = read_memory(pid_, seen.token_address, read_back) && read_back == seen.token;
}

SegmentHeader& PeerSegment::header() const { return *reinterpret_cast<SegmentHeader*>(front_.data()); }

net::Fd PeerSegment::open_of_owner(int fd, int flags) const {
  const net::Fd process = open_process(pid_);
  const net::Fd memory = open_of(process, memory_fd_, O_RDONLY);
  if (!memory && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) return {};  // it may well be there
  SegmentHeader seen;
  if (!memory || !read_header(memory, seen) || seen.token != token_) {
    errno = ESRCH;
    return {};
  }
  return open_of(process, fd, flags);
}

net::Fd PeerSegment::open_bell() const {
  const int fd = header().bell_fd;
  net::Fd bell = open_of_owner(fd, O_RDWR | O_NONBLOCK);
  if (!bell && !nobody_there()) fail_to_open("doorbell", pid_, fd);
  return bell;
}

Mapping PeerSegment::map(int fd, std::size_t bytes) const {
  const net::Fd memory = open_of_owner(fd, O_RDWR);
  if (!memory) fail_to_open("memory", pid_, fd);
  struct stat found {};
  // Beyond its end reading would be a signal.
  if (::fstat(memory.get(), &found) != 0 || static_cast<std::uint64_t>(found.st_size) < bytes) {
    throw RunError("the peer's memory is not what it has said");
  }
  return {memory.get(), 0, bytes};
}

void PeerSegment::map_board() {
  const BoardPlace& place = header().board;
  board_ = {};
  board_bytes_ = 0;
  const std::uint64_t bytes = place.bytes;
  const net::Fd memory = open_of_owner(place.fd, O_RDWR);
  struct stat found {};
  // Beyond its end reading would be a signal.
  if (!memory || ::fstat(memory.get(), &found) != 0 || static_cast<std::uint64_t>(found.st_size) < bytes) return;
  try {
    board_ = Mapping(memory.get(), 0, bytes);
  } catch (const RunError&) {
    return;
  }
  board_address_ = place.address;
  board_bytes_ = bytes;
}

const std::byte* PeerSegment::find_on_board(std::uint64_t address, std::size_t bytes) {
  const std::uint32_t number = header().board.number.load(std::memory_order_acquire);
  if (std::exchange(board_number_, number) != number) map_board();
  if (address < board_address_ || bytes > board_bytes_) return nullptr;
  const std::uint64_t offset = address - board_address_;
  return offset <= board_bytes_ - bytes ? board_.data() + offset : nullptr;
}

RingWriter PeerSegment::writer(std::size_t stream_from) {
  RingControl& control = control_of(front_.data(), index_);
  control.in_use.store(1, std::memory_order_seq_cst);
  header().users.fetch_add(1, std::memory_order_seq_cst);
  return {lines_of(ring_.data(), ring_bytes_), control, stream_from, make_memory};
}

}  // namespace nasvm::shm
