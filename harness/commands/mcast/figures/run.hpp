#pragma once
/// \file
/// Carries out `nasvm mcast --figures`: makes a lab, has its first host measure figure by figure, writes the report.

#include "harness/command.hpp"
#include "harness/commands/mcast/options.hpp"
#include "harness/testbed/lab.hpp"

namespace nasvm {

/// The rate of all links, 10^6 bit/s, as in both papers' successors of Ethernet.
inline constexpr int figures_rate_mbit_s = 100;

/// The words behind `nasvm` for one sweep; results go to standard output as a document.
std::vector<std::string> arguments_of(const FigureSweep& sweep, FigureExtent extent, const std::string& hostfile,
                                      const McastOptions& options);

/// Blocks. A sweep that fails is noted and the others go on; the status is Exit::broken then. Throws UsageError where
/// no hosts can be made, RunError.
Exit run_figures(const McastOptions& options, const View& view, const LabFactory& make_lab, const Call& call);

}  // namespace nasvm
