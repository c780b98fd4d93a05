#include "kernels/ft/field.hpp"

#include <cstdlib>
#include <string>

#include "kernels/common/large_memory.hpp"
#include "vm/status.hpp"

namespace nasvm::ft {

Field::Field(std::int64_t points) : size_(static_cast<std::size_t>(points)) {
  if (points == 0) return;
  const std::size_t bytes = size_ * sizeof(Complex);
  // Long strides touch a new page with every access; huge pages keep their addresses in the TLB.
  void* memory = allocate_large(bytes);
  if (memory == nullptr) {
    throw RunError("ft: no memory for a field of " + std::to_string(bytes) +
                   " bytes; take a smaller class or more tasks on more hosts");
  }
  memory_.reset(static_cast<Complex*>(memory));
}

void Field::Release::operator()(Complex* memory) const { std::free(memory); }

}  // namespace nasvm::ft
