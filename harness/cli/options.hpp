#pragma once
/// \file
/// What options that several commands share say, once read and checked (groups.hpp adds them to a command line).

#include <optional>
#include <span>
#include <string>

#include "vm/binding.hpp"
#include "vm/launch/launcher.hpp"

namespace nasvm {

/// --hostfile, --host, --launcher, --rsh, --copy, --interface; --vm.
struct MachineOptions {
  std::string hostfile;           ///< this or `hosts`; both empty: the nodes of a Slurm job, else this host alone
  std::string hosts;              ///< "a:2,b"
  std::string launcher;           ///< empty: as the hosts ask for (usual_launcher)
  std::string rsh;                ///< remote shell: command and options; empty: the launcher's choice
  bool copy = false;              ///< bring the programs to the hosts first
  std::string interface;          ///< that all talk over; empty: by the hosts' addresses
  std::optional<std::string> vm;  ///< name of a kept machine to use instead of all that
  std::span<const LauncherRow> launchers = nasvm::launchers();  ///< to choose from
};

/// There may be other hosts than this one: the user or Slurm has named them.
inline bool names_hosts(const MachineOptions& options) {
  const bool may_be_slurm = options.launcher.empty() || options.launcher == "srun";
  return options.vm.has_value() || !options.hostfile.empty() || !options.hosts.empty() ||
         (may_be_slurm && !variable("SLURM_JOB_NODELIST").empty());
}

/// --format, --export-json, --export-csv, --export-markdown, --export-svg.
struct OutputOptions {
  std::string format = "table";
  std::string export_json;  ///< these: empty for no export
  std::string export_csv;
  std::string export_markdown;
  std::string export_svg;
};

}  // namespace nasvm
