#pragma once
/// \file
/// LimitRecord and WorkRecord as JSON in the result document.

#include "harness/document/json_reader.hpp"
#include "harness/commands/roofline/record.hpp"

namespace nasvm {

Json json_of(const LimitRecord& record);
Json json_of(const WorkRecord& record);
/// Throw UsageError.
LimitRecord read_limit_record(const JsonReader& in);
WorkRecord read_work_record(const JsonReader& in);

}  // namespace nasvm
