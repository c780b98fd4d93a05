#include "harness/measuring/data_check.hpp"

#include <array>

namespace nasvm {
namespace {

/// The values of DataCheck in documents and in tables.
constexpr std::array<std::string_view, 3> check_names{"unchecked", "correct", "wrong"};
constexpr std::array<std::string_view, 3> printed_check_names{"unchecked", "correct", "WRONG"};

}  // namespace

std::string_view to_text(DataCheck check) { return printed_check_names[static_cast<std::size_t>(check)]; }

void describe_data_check(Fields& fields, DataCheck& check) {
  fields.choice("data", check, {check_names, printed_check_names});
}

}  // namespace nasvm
