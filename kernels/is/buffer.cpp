#include "kernels/is/buffer.hpp"

#include <cstdlib>
#include <new>

#include "kernels/common/large_memory.hpp"

namespace nasvm::is {

void* allocate_bytes(std::size_t bytes) {
  void* memory = allocate_large(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_bytes(void* memory) noexcept { std::free(memory); }

}  // namespace nasvm::is
