#include "vm/windows.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "vm/available.hpp"

namespace nasvm {

std::unique_ptr<Windows> Windows::open(Comm& comm, std::size_t bytes, Memory memory) {
  const Rank self = comm.rank();
  const auto tasks = static_cast<std::size_t>(comm.size());
  bool in_reach = tasks > 1;
  for (Rank peer = 0; peer < comm.size(); ++peer) in_reach = in_reach && (peer == self || comm.can_read_memory(peer));
  std::vector<std::unique_ptr<SharedMemory>> windows(tasks);
  std::unique_ptr<SharedMemory>& own = windows[static_cast<std::size_t>(self)];
  if (in_reach) own = comm.create_memory(self == 0 ? 1 : 0, bytes);

  const std::array<std::int64_t, 2> offer{own != nullptr ? own->number() : -1, static_cast<std::int64_t>(bytes)};
  std::vector<std::int64_t> offers(2 * tasks);
  const bool at_once = memory == Memory::at_once;
  // Nobody makes pages before all have looked.
  const std::uint64_t available_bytes = at_once ? available_memory_bytes() : 0;
  comm.allgather(offer, offers);
  // Who asks for more than there is may be killed. As much again stays for what else a program has.
  std::uint64_t all_bytes = 0;
  for (std::size_t at = 0; at < tasks; ++at) all_bytes += static_cast<std::uint64_t>(offers[2 * at + 1]);
  bool complete = in_reach && (!at_once || available_bytes / 2 >= all_bytes);
  for (Rank peer = 0; peer < comm.size() && complete; ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    const std::int64_t number = offers[2 * at];
    if (peer != self && number >= 0) {
      windows[at] = comm.map_memory(peer, number, static_cast<std::size_t>(offers[2 * at + 1]));
    }
    complete = windows[at] != nullptr;
  }
  const auto all = [&](bool here) { return comm.allreduce_value(here ? 1 : 0, Min{}) == 1; };
  // Its creator has the pages made, for others to map them as they are.
  complete = all(complete && (!at_once || own->populate()));
  if (own != nullptr) own->hide();
  if (!complete) return nullptr;
  if (at_once) {
    for (Rank peer = 0; peer < comm.size(); ++peer) {
      if (peer != self) complete = windows[static_cast<std::size_t>(peer)]->populate() && complete;
    }
    if (!all(complete)) return nullptr;
  }
  return std::unique_ptr<Windows>(new Windows(std::move(windows)));
}

}  // namespace nasvm
