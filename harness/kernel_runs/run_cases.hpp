#pragma once
/// \file
/// Runs of kernels sorted into cases (harness/report/cases.hpp): one case is one kernel at one size over one
/// transport.

#include <span>
#include <string>
#include <vector>

#include "harness/kernel_runs/record.hpp"
#include "harness/report/cases.hpp"
#include "harness/report/compared.hpp"
#include "kernels/kernel.hpp"

namespace nasvm {

/// The repeats of one case.
using Case = CaseOf<RunRecord>;
/// Cases of one kernel, class, number of tasks, threads and hosts (as asked for), variant and parameters.
using Group = GroupOf<RunRecord>;

std::vector<Group> group_runs(std::span<const Source> sources);

/// Has any of these runs a class? Programs of others have none; their tables have no column for it.
bool have_classes(std::span<const Group> groups);
bool have_classes(std::span<const Source> sources);

/// "ft class A, 8 tasks"; of what has no class "program, 8 tasks".
std::string size_text(std::string_view kernel, char problem_class, int np);

/// " on 2 hosts", behind that; "" where their number was not asked for.
std::string hosts_text(int host_count);

/// The same, with threads and variant where they are not the usual ones: what runs must have in common to be
/// compared.
std::string name_of(const RunRecord& run);
std::string name_of(const Group& group);

/// What a run has done, also in millions of operations: after a restart only a part of the problem's.
int iterations_done(const Kernel& kernel, const Problem& problem, const RunRecord& run);
double mega_operations_done(const Kernel& kernel, const Problem& problem, const RunRecord& run);

/// Below tables of single runs. Repeats on a quiet machine lie within some per cent of each other (results/), on
/// shared ones further apart.
inline constexpr std::string_view one_run_note =
    "One run of each: differences below 10 % mean nothing. To see how far repeats lie apart: --runs 5 (make: "
    "RUNS=5).";

/// Times of runs, with messages and volume as facts where the work alone says them.
std::vector<Compared> compared_runs(const Document& document);

/// The kernel's first, which is taken where none is asked for.
bool is_default_variant(const std::string& kernel, const std::string& variant);

/// "FT", as NASA's output spells it, with the variant where it is not the usual one.
std::string kernel_title(const std::string& kernel, const std::string& variant = "");
/// The same, with the values of the run's parameters: "MG paper token".
std::string kernel_title(const RunRecord& run);

/// "8", or with threads "8 x 2".
std::string tasks_text(const RunRecord& run);

}  // namespace nasvm
