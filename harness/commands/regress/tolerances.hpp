#pragma once
/// \file
/// The file of `nasvm regress --calibrate`, schema "nasvm-tolerances/1": how much worse than itself a build may seem
/// on one machine, case by case.

#include <string>

#include "harness/commands/regress/verdict.hpp"
#include "harness/document/document.hpp"

namespace nasvm {

/// The text of the file: the tolerances of a calibration's judgement, and where and with what it was made.
std::string tolerance_file(const Judgement& judgement, const Document& document);

/// Reads such a file into `tolerances`; returns the machine that it was made on. Throws UsageError: missing, not
/// such a file, without cases, with one of them twice, or with a tolerance of nothing.
MachineRecord read_tolerances(const std::string& path, Tolerances& tolerances);

/// Throws UsageError where that file, made on `calibrated`, is of another machine than `here`.
void check_calibrated_machine(const std::string& path, const MachineRecord& calibrated, const MachineRecord& here);

}  // namespace nasvm
