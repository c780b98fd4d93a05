#pragma once
/// \file
/// What records say of received data that were compared with what was sent.

#include <cstdint>
#include <string_view>

#include "harness/document/fields.hpp"

namespace nasvm {

enum class DataCheck : std::uint8_t { none, passed, failed };

/// "unchecked", "correct" or "WRONG", for people.
std::string_view to_text(DataCheck check);

/// "data".
void describe_data_check(Fields& fields, DataCheck& check);

}  // namespace nasvm
