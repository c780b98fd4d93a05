#pragma once
/// \file
/// PeerRecord as JSON in the result document.

#include "harness/document/json_reader.hpp"
#include "harness/commands/peers/record.hpp"

namespace nasvm {

/// The record as an object of the document. Without a verified result its time and speed are null.
Json json_of(const PeerRecord& record);
/// Throws UsageError.
PeerRecord read_peer_record(const JsonReader& in);

}  // namespace nasvm
