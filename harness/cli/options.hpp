#pragma once
/// \file
/// What options that several commands share say, once read and checked (groups.hpp adds them to a command line).

#include <span>
#include <string>

#include "vm/binding.hpp"
#include "vm/launch/launcher.hpp"

namespace nasvm {

/// --hostfile, --launcher.
struct MachineOptions {
  std::string hostfile;  ///< empty: this host alone
  std::string launcher = "local";
  std::span<const LauncherRow> launchers = nasvm::launchers();  ///< to choose from
};

/// --format, --export-json, --export-csv, --export-markdown, --export-svg.
struct OutputOptions {
  std::string format = "table";
  std::string export_json;  ///< these: empty for no export
  std::string export_csv;
  std::string export_markdown;
  std::string export_svg;
};

}  // namespace nasvm
