#include "vm/version.hpp"

#include "version_facts.hpp"

namespace nasvm {

std::string_view version() { return version_facts::version; }
std::string_view commit() { return version_facts::commit; }
std::string_view build_version() { return version_facts::build; }

}  // namespace nasvm
