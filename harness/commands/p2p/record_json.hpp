#pragma once
/// \file
/// The records of `nasvm p2p` as JSON: in the result document, and in what tasks report. Readers throw UsageError.

#include "harness/document/json_reader.hpp"
#include "harness/commands/p2p/collective/record.hpp"
#include "harness/commands/p2p/mixed/record.hpp"
#include "harness/commands/p2p/record.hpp"

namespace nasvm {

/// The record as an object of the document. Where data arrived wrong, figures are null: a wrong transfer has no
/// speed.
Json json_of(const P2pRecord& record);
P2pRecord read_p2p_record(const JsonReader& in);

Json json_of(const CollectiveRecord& record);
CollectiveRecord read_collective_record(const JsonReader& in);

Json json_of(const MixedRecord& record);
MixedRecord read_mixed_record(const JsonReader& in);

// What records share.

Json json_of(DataCheck check);
/// The member "data".
DataCheck read_data_check(const JsonReader& in);
/// The members "latency_us", "latency_mean_us" and so on.
Latency read_latency(const JsonReader& in);

}  // namespace nasvm
