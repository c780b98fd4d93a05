#pragma once
/// \file
/// Groups of options that several commands have. What the options hold when they are added are the defaults.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command_line.hpp"
#include "harness/cli/options.hpp"
#include "vm/multicast/table.hpp"

namespace nasvm {

inline constexpr const char* usual_hostfile_text =
    "hosts, one 'name slots=N' a line (default: this host, or the nodes of a Slurm job)";

/// --hostfile, with its description, --host, --launcher (one of `options.launchers`), --rsh, --copy, --interface: a
/// machine that is to be started.
void add_host_options(CommandLine& line, MachineOptions& options, const std::string& hostfile = usual_hostfile_text);
/// The same, or --vm: a machine that is kept.
void add_machine_options(CommandLine& line, MachineOptions& options,
                         const std::string& hostfile = usual_hostfile_text);

/// What files hold, for --help.
struct ExportTexts {
  std::string csv_line = "run";  ///< "one line per run"
  std::string markdown = "the table in Markdown to this file";
};

/// --format (one of `formats`) and the exports; that of a plot where there is one.
void add_output_options(CommandLine& line, OutputOptions& options, std::span<const std::string_view> formats,
                        const ExportTexts& texts = {});

/// --view, one of `names`, and --by-rank, short for this one.
inline constexpr std::string_view by_rank_view = "by-rank";
void add_view_options(CommandLine& line, std::string& view, std::vector<std::string_view> names);

/// --runs and --warmup.
void add_runs_option(CommandLine& line, int& runs, const std::string& description);
void add_warmup_option(CommandLine& line, int& warmup);

/// --bind.
void add_binding_option(CommandLine& line, Binding& bind, const std::string& description);

/// --protocol: multicast protocols of `rows`.
void add_protocols_option(CommandLine& line, std::vector<std::string>& protocols,
                          std::span<const multicast::Row> rows);

/// --timeout: seconds that one run may take.
void add_timeout_option(CommandLine& line, double& timeout_s);

}  // namespace nasvm
