#pragma once
/// \file
/// P2pRecord as JSON: in the result document, and in what tasks report.

#include "harness/json_reader.hpp"
#include "harness/p2p/record.hpp"

namespace nasvm {

/// The record as an object of the document. Where data arrived wrong, figures are null: a wrong transfer has no speed.
Json json_of(const P2pRecord& record);
/// Throws UsageError.
P2pRecord read_p2p_record(const JsonReader& in);

}  // namespace nasvm
