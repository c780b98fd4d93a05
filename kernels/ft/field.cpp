#include "kernels/ft/field.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "vm/status.hpp"

namespace nasvm::ft {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

Field::Field(std::int64_t points) : size_(static_cast<std::size_t>(points)) {
  if (points == 0) return;
  const std::size_t bytes = size_ * sizeof(Complex);
  const std::size_t unit = bytes >= 2 * huge_page ? huge_page : cache_line;
  void* memory = std::aligned_alloc(unit, round_up(bytes, unit));
  if (memory == nullptr) {
    throw RunError("ft: no memory for a field of " + std::to_string(bytes) +
                   " bytes; take a smaller class or more tasks on more hosts");
  }
  // Long strides touch a new page with every access; huge pages keep their addresses in the TLB.
  if (unit == huge_page) (void)madvise(memory, round_up(bytes, unit), MADV_HUGEPAGE);
  memory_.reset(static_cast<Complex*>(memory));
}

void Field::Release::operator()(Complex* memory) const { std::free(memory); }

}  // namespace nasvm::ft
