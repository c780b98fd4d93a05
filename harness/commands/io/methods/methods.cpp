#include <array>

#include "harness/commands/io/methods/method.hpp"

namespace nasvm {

std::span<const IoMethodRow> io_methods() {
  static constexpr std::array rows{
      IoMethodRow{"edonio", "the machine's file cache, nasvm/edonio.h", make_edonio_method},
      IoMethodRow{"posix", "pwrite and pread of each access", make_posix_method},
      IoMethodRow{"mmap", "the file mapped by all tasks, accesses are copies", make_mmap_method},
  };
  return rows;
}

}  // namespace nasvm
