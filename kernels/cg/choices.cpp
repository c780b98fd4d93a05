#include "kernels/cg/choices.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "kernels/cg/storage.hpp"
#include "kernels/cg/tile_shape.hpp"
#include "kernels/cg/tiled_slices.hpp"
#include "kernels/common/caches.hpp"

namespace nasvm::cg {
namespace {

constexpr std::array forms{"full", "half square"};                // of SlabForm::halved
constexpr std::array hint_names{"keep", "second level", "once"};  // in the order of CacheHint

std::string size_text(const Cache& cache) { return cache_size_text(static_cast<double>(cache.bytes)); }

std::string in_own_caches(std::span<const Cache> caches) {
  return fmt::format("in a core's own caches ({})", size_text(own_cache(caches)));
}

}  // namespace

TuningChoice tile_choice(std::uint64_t first_level_bytes) {
  return {"tile columns", std::to_string(columns_for(first_level_bytes)),
          fmt::format("7/12 of a first-level cache of {}", cache_size_text(static_cast<double>(first_level_bytes)))};
}

TuningChoice form_choice(double elements, SlabForm form, std::span<const Cache> caches) {
  const std::string size = cache_size_text(elements * stored_element_bytes);
  const auto why = [&] {
    switch (storage_for(elements, caches)) {
      case Storage::full:
        return fmt::format("{}: {}", size, in_own_caches(caches));
      case Storage::half_square:
        return fmt::format("{}: {} all caches ({})", size, form.halved ? "beyond" : "no symmetric square, beyond",
                           size_text(caches.back()));
      case Storage::faster:
        break;
    }
    return fmt::format("{}: in a shared cache ({}); the fastest in a trial", size,
                       size_text(*cache_for(elements, caches)));
  };
  return {"slab form", forms[form.halved ? 1 : 0], why()};
}

TuningChoice hint_choice(double elements, SlabForm form, std::span<const Cache> caches) {
  const bool tried = storage_for(elements, caches) != Storage::full;
  return {"cache hint", hint_names[static_cast<std::size_t>(form.hint)],
          tried ? "the fastest in a trial" : fmt::format("not tried {}", in_own_caches(caches))};
}

TuningChoices choices_of_slab(double elements, SlabForm form, std::span<const Cache> caches) {
  return {tile_choice(caches.front().bytes), form_choice(elements, form, caches),
          hint_choice(elements, form, caches)};
}

TuningChoices choices_for(std::span<const Cache> caches) {
  const Cache& own = own_cache(caches);
  const Cache& last = caches.back();
  const std::string between = is_own(last, caches) ? "" : "; in between the faster one, by trial in each run";
  return {tile_choice(caches.front().bytes),
          {"slab form", "by size",
           fmt::format("full {}, half square beyond all ({}){}", in_own_caches(caches), size_text(last), between)},
          {"cache hint", "by trial", fmt::format("in each run, of slabs beyond {}", size_text(own))}};
}

TuningChoices choices() { return choices_for(caches_here()); }

}  // namespace nasvm::cg
