/// \file
/// For builds under the address sanitizer, linked into the tasks of message systems: which memory Open MPI and PVM
/// keep to their end. Leaks of ours are still found.

extern "C" {

/// Open MPI unloads its components before leaks are looked for; who has called them is known only if the stack is
/// walked whole at each allocation.
const char* __asan_default_options() { return "fast_unwind_on_malloc=0"; }

const char* __lsan_default_suppressions() {
  return "leak:libmpi\nleak:libopen-pal\nleak:libopen-rte\nleak:libpmix\nleak:libevent\nleak:libhwloc\n"
         "leak:PMPI_\nleak:orte_\nleak:opal_\nleak:libpvm3\nleak:pvm_\n";
}
}
