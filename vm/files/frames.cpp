#include "vm/files/frames.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <random>

#include "vm/files/error.hpp"
#include "vm/memory_file.hpp"
#include "vm/proc.hpp"
#include "vm/status.hpp"

namespace nasvm::files {
namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t to_pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

/// Hints that fall together are lost, so there are more places than frames.
std::size_t hints_for(std::uint32_t frames) { return std::bit_ceil(std::size_t{frames} * 4); }

std::size_t headers_bytes(std::uint32_t frames) { return to_pages(frames * sizeof(FrameMemory::Header)); }
std::size_t hints_bytes(std::uint32_t frames) {
  return to_pages(hints_for(frames) * sizeof(std::atomic<std::uint32_t>));
}

struct Place {
  pid_t process = 0;
  int fd = -1;
  FrameMemory::Shape shape;
  std::uint64_t token = 0;
  std::string boot;
};

Place parse(const std::string& text) {
  Place place;
  unsigned long long block_bytes = 0;
  unsigned long long token = 0;
  int boot_at = 0;
  if (std::sscanf(text.c_str(), "%d:%d:%u:%llu:%llx:%n", &place.process, &place.fd, &place.shape.frames, &block_bytes,
                  &token, &boot_at) != 5 ||
      boot_at == 0) {
    throw RunError("\"" + text + "\" is no place of a file cache");
  }
  place.shape.block_bytes = block_bytes;
  place.token = token;
  place.boot = text.substr(static_cast<std::size_t>(boot_at));
  return place;
}

net::Fd open_at(const Place& place) {
  if (place.boot != boot_id()) throw RunError("on another computer");
  const std::string path = (proc_folder(place.process) / "fd" / std::to_string(place.fd)).string();
  net::Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) throw RunError(path + " cannot be opened: " + std::strerror(errno));
  struct stat found {};
  if (::fstat(fd.get(), &found) != 0 ||
      static_cast<std::size_t>(found.st_size) != FrameMemory::bytes_for(place.shape)) {
    throw RunError("in another process namespace, or gone");
  }
  return fd;
}

net::Fd make_memory(const FrameMemory::Shape& shape) {
  const auto bytes = FrameMemory::bytes_for(shape);
  net::Fd fd = make_memory_file("nasvm-files", bytes);
  if (!fd) {
    throw FileError(ENOMEM, fmt::format("no {} bytes of memory for a file cache: {}", bytes, std::strerror(errno)));
  }
  return fd;
}

std::uint64_t new_token() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

std::size_t FrameMemory::bytes_for(const Shape& shape) {
  return page_bytes + headers_bytes(shape.frames) + hints_bytes(shape.frames) + shape.frames * shape.block_bytes;
}

FrameMemory::FrameMemory(int fd, const Shape& shape)
    : shape_(shape), hint_count_(hints_for(shape.frames)), bytes_(bytes_for(shape)) {
  void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) {
    throw FileError(ENOMEM, fmt::format("cannot map {} bytes of a file cache: {}", bytes_, std::strerror(errno)));
  }
  base_ = static_cast<std::byte*>(memory);
  std::byte* at = base_ + page_bytes;
  headers_ = reinterpret_cast<Header*>(at);
  at += headers_bytes(shape.frames);
  hints_ = reinterpret_cast<std::atomic<std::uint32_t>*>(at);
  frames_ = at + hints_bytes(shape.frames);
}

FrameMemory::~FrameMemory() { ::munmap(base_, bytes_); }

std::atomic<std::uint64_t>& FrameMemory::token() const {
  return *reinterpret_cast<std::atomic<std::uint64_t>*>(base_);
}

OwnFrames::OwnFrames(const FrameMemory::Shape& shape) : fd_(make_memory(shape)), memory_(fd_.get(), shape) {
  memory_.token() = new_token();
  for (std::uint32_t frame = 0; frame < shape.frames; ++frame) memory_.header(frame).version = 1;
}

void OwnFrames::touch(std::uint32_t frame) const {
  // Where the system does not know this, pages come one by one.
  (void)::madvise(memory_.data(frame), memory_.shape().block_bytes, MADV_POPULATE_WRITE);
}

void OwnFrames::show(std::uint32_t frame, const BlockName& name) {
  auto& header = memory_.header(frame);
  header.file.store(name.file, std::memory_order_relaxed);
  header.block.store(name.block, std::memory_order_relaxed);
  header.version.fetch_add(1, std::memory_order_release);
  memory_.hint(name).store(frame + 1, std::memory_order_release);
}

void OwnFrames::hide(std::uint32_t frame) {
  memory_.header(frame).version.fetch_add(1, std::memory_order_relaxed);
  // What is written into the frame from now on is seen after that, if it is seen at all.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool OwnFrames::take_used(std::uint32_t frame) {
  auto& used = memory_.header(frame).used;
  if (used.load(std::memory_order_relaxed) == 0) return false;
  used.store(0, std::memory_order_relaxed);
  return true;
}

std::string OwnFrames::place() const {
  return fmt::format("{}:{}:{}:{}:{:x}:{}", ::getpid(), fd_.get(), memory_.shape().frames,
                     memory_.shape().block_bytes, memory_.token().load(), boot_id());
}

NeighbourFrames::NeighbourFrames(const std::string& text) : memory_(open_at(parse(text)).get(), parse(text).shape) {
  if (memory_.token() != parse(text).token) throw RunError("in another process namespace, or gone");
}

std::optional<FrameView> NeighbourFrames::find(const BlockName& name) const {
  const std::uint32_t number = memory_.hint(name).load(std::memory_order_acquire);
  if (number == 0 || number > memory_.shape().frames) return {};
  auto& header = memory_.header(number - 1);
  const std::uint64_t version = header.version.load(std::memory_order_acquire);
  if (version % 2 != 0 || header.file.load(std::memory_order_relaxed) != name.file ||
      header.block.load(std::memory_order_relaxed) != name.block) {
    return {};
  }
  const FrameView view{memory_.data(number - 1), &header.version, version};
  if (!view.still_shown()) return {};
  if (header.used.load(std::memory_order_relaxed) == 0) header.used.store(1, std::memory_order_relaxed);
  return view;
}

}  // namespace nasvm::files
