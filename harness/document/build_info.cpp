#include "harness/document/build_info.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "build_facts.hpp"
#include "kernels/common/simd_level.hpp"
#include "vm/version.hpp"

namespace nasvm {
namespace {

std::string fmt_version() {
  return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

std::map<std::string, std::string> libraries() {
  std::map<std::string, std::string> versions{
      {"fftw", build_facts::fftw},   {"eigen", build_facts::eigen},
      {"isal", build_facts::isal},   {"libsodium", build_facts::libsodium},
      {"cli11", build_facts::cli11}, {"nlohmann_json", json_library_version()},
      {"fmt", fmt_version()}};
  for (const auto& [name, version] : build_facts::systems) versions[name] = version;
  return versions;
}

}  // namespace

const BuildRecord& build_record() {
  static const BuildRecord record{
      std::string(version()), std::string(commit()), build_facts::compiler,     build_facts::flags,
      build_facts::date,      libraries(),           std::string(simd_level()),
  };
  return record;
}

Document begin_document(std::vector<std::string> command, MachineRecord machine) {
  Document document;
  document.created = utc_now();
  document.command = std::move(command);
  document.machine = std::move(machine);
  document.build = build_record();
  return document;
}

}  // namespace nasvm
