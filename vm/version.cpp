#include "vm/version.hpp"

#include "version_facts.hpp"

namespace nasvm {

std::string_view build_version() { return version_facts::build; }

}  // namespace nasvm
