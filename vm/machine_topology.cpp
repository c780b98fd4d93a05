#include "vm/machine_topology.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
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
hwloc_obj_t hardware_thread(hwloc_topology_t topology, std::span<const int> numbers) {
  hwloc_obj_t found = nullptr;
  if (!numbers.empty()) found = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(numbers.front()));
  return found != nullptr ? found : hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
}

Cache cache_of(const hwloc_obj& object) {
  return {static_cast<int>(object.attr->cache.depth), object.attr->cache.size,
          std::max(1, hwloc_bitmap_weight(object.complete_cpuset))};
}

std::vector<Cache> caches_according_to(Source source) {
  std::vector<Cache> caches;
  const Topology topology = load_caches(source);
  if (topology == nullptr) return caches;
  // Farther caches are above nearer ones.
  for (hwloc_obj_t object = hardware_thread(topology.get(), usable_core_numbers()); object != nullptr;
       object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type) != 0 && object->attr->cache.size > 0)
      caches.push_back(cache_of(*object));
  }
  return caches;
}

}  // namespace

std::vector<int> usable_core_numbers(pid_t thread) {
  cpu_set_t set;
  std::vector<int> cores;
  if (::sched_getaffinity(thread, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

int usable_cores() { return std::max(1, static_cast<int>(usable_core_numbers().size())); }

bool bind_to_cores(std::span<const int> cores, pid_t thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  return ::sched_setaffinity(thread, sizeof set, &set) == 0;
}

std::vector<Cache> data_caches() {
  std::vector<Cache> caches = caches_according_to(Source::system);
  if (caches.empty()) caches = caches_according_to(Source::processor);
  if (caches.empty()) caches = {{1, 32 << 10, 1}, {2, 1 << 20, 1}};
  return caches;
}

}  // namespace nasvm
