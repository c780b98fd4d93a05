#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/commands/io/methods/method.hpp"
#include "vm/status.hpp"

namespace nasvm {

std::span<const IoMethodRow> io_methods() {
  static constexpr std::array rows{
      IoMethodRow{"edonio", "the machine's file cache, nasvm/edonio.h", make_edonio_method, false},
      IoMethodRow{"posix", "pwrite and pread of each access", make_posix_method, true},
      IoMethodRow{"mmap", "the file mapped by all tasks, accesses are copies", make_mmap_method, true},
      IoMethodRow{mounted_method, "posix, through a network file system: --mounted", make_mounted_method, true},
      IoMethodRow{"auto", "edonio as programs have it: long reads straight from the page cache", make_auto_method,
                  false},
      IoMethodRow{"ompio", "MPI-IO, by Open MPI's own OMPIO", make_mpi_method, true, "mpi", "OMPI_MCA_io=ompio"},
      IoMethodRow{"romio", "MPI-IO, by the ROMIO that Open MPI has", make_mpi_method, true, "mpi",
                  "OMPI_MCA_io=romio321"},
  };
  return rows;
}

const IoMethodRow& io_method(std::string_view name) {
  const auto found = std::ranges::find(io_methods(), name, &IoMethodRow::name);
  if (found == io_methods().end()) throw UsageError(fmt::format("there is no method \"{}\" in this program", name));
  return *found;
}

}  // namespace nasvm
