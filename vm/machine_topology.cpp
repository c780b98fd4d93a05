#include "vm/machine_topology.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <map>
#include <memory>

namespace nasvm {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// Whom hwloc asks for caches.
enum class Source { system, processor };

/// Caches and hardware threads, without the kinds of objects that take long to find; null where hwloc finds nothing.
Topology load_caches(Source source) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // To ask the processor means to run on each core in turn, which takes long where cores are busy.
  if (source == Source::system) hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

/// The object of the hardware thread; the first one where that is not known.
hwloc_obj_t hardware_thread(hwloc_topology_t topology, int number) {
  const hwloc_obj_t found = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(number));
  return found != nullptr ? found : hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
}

/// Calls visit(object) for each data cache of that core, from the nearest to the farthest.
template <typename Visit>
void for_each_data_cache(hwloc_topology_t topology, int core, const Visit& visit) {
  // Farther caches are above nearer ones.
  for (hwloc_obj_t object = hardware_thread(topology, core); object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) != 0 && object->attr->cache.size > 0) visit(object);
  }
}

/// What most cores have where nobody tells.
constexpr std::array guessed{Cache{1, 32 << 10, 1}, Cache{2, 1 << 20, 1}};

Cache cache_of(const hwloc_obj& object) {
  return {static_cast<int>(object.attr->cache.depth), object.attr->cache.size,
          std::max(1, hwloc_bitmap_weight(object.complete_cpuset))};
}

std::vector<Cache> caches_according_to(Source source) {
  std::vector<Cache> caches;
  const Topology topology = load_caches(source);
  if (topology == nullptr) return caches;
  const std::vector<int> usable = usable_core_numbers();
  constexpr int unknown = -1;
  for_each_data_cache(topology.get(), usable.empty() ? unknown : usable.front(),
                      [&](hwloc_obj_t object) { caches.push_back(cache_of(*object)); });
  return caches;
}

std::vector<CacheLevel> levels_according_to(Source source, std::span<const int> cores) {
  std::vector<CacheLevel> levels;
  const Topology topology = load_caches(source);
  if (topology == nullptr) return levels;
  std::map<hwloc_obj_t, std::uint64_t> users;
  for (const int core : cores) {
    for_each_data_cache(topology.get(), core, [&](hwloc_obj_t object) { ++users[object]; });
  }
  std::map<int, CacheLevel> by_level;
  for (const auto& [object, count] : users) {
    const Cache cache = cache_of(*object);
    const std::uint64_t share = cache.bytes / count;
    const auto [place, is_first] = by_level.try_emplace(cache.level, CacheLevel{cache.level, 0, share});
    CacheLevel& level = place->second;
    level.bytes += cache.bytes;
    level.least_share_bytes = std::min(level.least_share_bytes, share);
  }
  for (const auto& [number, level] : by_level) levels.push_back(level);
  return levels;
}

/// Cores as system calls have them: in so many of these is room for every number, 1024 in each.
using CoreSets = std::vector<cpu_set_t>;

std::size_t bytes_of(const CoreSets& sets) { return sets.size() * sizeof(cpu_set_t); }

}  // namespace

std::vector<int> usable_core_numbers(pid_t thread) {
  constexpr std::size_t most_sets = 1024;  // beyond any system: then it is not the room that is wrong
  CoreSets sets(1);
  while (::sched_getaffinity(thread, bytes_of(sets), sets.data()) != 0) {
    if (errno != EINVAL || sets.size() >= most_sets) return {};
    sets.resize(2 * sets.size());
  }
  std::vector<int> cores;
  const int numbers = static_cast<int>(sets.size()) * CPU_SETSIZE;
  for (int core = 0; core < numbers; ++core) {
    if (CPU_ISSET_S(core, bytes_of(sets), sets.data())) cores.push_back(core);
  }
  return cores;
}

int usable_cores() { return std::max(1, static_cast<int>(usable_core_numbers().size())); }

bool bind_to_cores(std::span<const int> cores, pid_t thread) {
  const int largest = cores.empty() ? 0 : std::max(0, *std::ranges::max_element(cores));
  CoreSets sets(static_cast<std::size_t>(largest / CPU_SETSIZE) + 1);
  for (const int core : cores) CPU_SET_S(core, bytes_of(sets), sets.data());
  return ::sched_setaffinity(thread, bytes_of(sets), sets.data()) == 0;
}

std::vector<Cache> data_caches() {
  std::vector<Cache> caches = caches_according_to(Source::system);
  if (caches.empty()) caches = caches_according_to(Source::processor);
  if (caches.empty()) caches.assign(guessed.begin(), guessed.end());
  return caches;
}

std::vector<CacheLevel> cache_levels(std::span<const int> cores) {
  std::vector<CacheLevel> levels = levels_according_to(Source::system, cores);
  if (levels.empty()) levels = levels_according_to(Source::processor, cores);
  if (levels.empty()) {
    for (const Cache& cache : guessed) levels.push_back({cache.level, cache.bytes * cores.size(), cache.bytes});
  }
  return levels;
}

}  // namespace nasvm
