#include "vm/abi/whereabouts/whereabouts.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <new>

#include "vm/memory_file.hpp"

namespace nasvm::abi {
namespace {

constexpr const char* variable_name = "NASVM_WHEREABOUTS_FD";
constexpr std::size_t longest_name = 47;
constexpr std::size_t most_names = 1024;

struct Shared {
  Whereabouts own;
  std::array<std::array<char, longest_name + 1>, most_names> names{};
};

Whereabouts unseen;
Whereabouts* here = &unseen;

int descriptor_in_environment() {
  const char* text = std::getenv(variable_name);
  int descriptor = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), descriptor);
  return descriptor;
}

void* map(int descriptor) {
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

std::string peer_text(std::int32_t peer, std::uint32_t others) {
  const std::string who = peer == Whereabouts::anybody ? "any rank" : "rank " + std::to_string(peer);
  return others == 0 ? who : who + " and " + std::to_string(others) + " more";
}

}  // namespace

Whereabouts& whereabouts() { return *here; }

/// The descriptor may be another's, in a program that has been started by one that has ended.
void join_whereabouts(std::span<const std::string> names) {
  const int descriptor = descriptor_in_environment();
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0 || status.st_size != sizeof(Shared)) return;
  void* memory = map(descriptor);
  if (memory == nullptr) return;
  auto& shared = *static_cast<Shared*>(memory);
  if (shared.own.begun_with.load() != Whereabouts::mark) {
    ::munmap(memory, sizeof(Shared));
    return;
  }
  ::close(descriptor);
  ::unsetenv(variable_name);
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
    names[i].copy(shared.names[i].data(), longest_name);
  }
  here = &shared.own;
}

WhereaboutsMemory::WhereaboutsMemory() : memory_(make_memory_file("nasvm-whereabouts", sizeof(Shared))) {
  if (memory_) mapped_ = map(memory_.get());
  if (mapped_ == nullptr) memory_.reset();
  else (new (mapped_) Shared)->own.begun_with = Whereabouts::mark;
}

WhereaboutsMemory::~WhereaboutsMemory() {
  if (mapped_ != nullptr) ::munmap(mapped_, sizeof(Shared));
}

void WhereaboutsMemory::leave_calls_untimed() {
  if (mapped_ != nullptr) static_cast<Shared*>(mapped_)->own.times_calls = false;
}

std::string WhereaboutsMemory::variable() const {
  return std::string(variable_name) + "=" + std::to_string(memory_.get());
}

Whereabouts::Phase WhereaboutsMemory::phase() const {
  return mapped_ != nullptr ? static_cast<const Shared*>(mapped_)->own.phase.load() : Whereabouts::Phase::after;
}

std::string WhereaboutsMemory::text() const {
  if (mapped_ == nullptr) return "is somewhere";
  const auto& shared = *static_cast<const Shared*>(mapped_);
  const Whereabouts& own = shared.own;
  const Whereabouts::Phase phase = own.phase;
  if (phase == Whereabouts::Phase::before || phase == Whereabouts::Phase::elsewhere) return std::string(not_in_mpi);
  if (phase != Whereabouts::Phase::running) return "has called MPI_Finalize and goes on";
  const std::uint32_t function = own.function;
  if (function == 0 || function > most_names) return "computes";
  const std::string name(shared.names[function - 1].data());
  const std::int32_t peer = own.peer;
  if (peer == Whereabouts::nobody) return "is in " + name;
  return "waits in " + name + " for " + peer_text(peer, own.others) + (own.sends ? " to receive" : "");
}

}  // namespace nasvm::abi
