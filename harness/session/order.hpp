#pragma once
/// \file
/// Orders: what the console tells the tasks of a program, as texts that travel through the virtual machine. An order
/// is a record (harness/document/fields.hpp) whose first field says its kind, so that a task knows whose it is
/// (harness/orders.cpp).

#include <string>
#include <string_view>

#include "harness/document/fields.hpp"

namespace nasvm {

/// The field that every order has.
void describe_kind(Fields& fields, std::string_view kind);

/// The kind of any order.
std::string order_kind(std::string_view text);

}  // namespace nasvm
