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

/// For texts of the user's that go into an order: those of an order are UTF-8, as all of JSON. `name` says what it
/// is, "argument 2 of ./a". Throws UsageError when tasks would not get it as it is.
void check_order_text(const std::string& name, const std::string& text);

/// The kind of any order; empty: it is none of this program's, but what another one says to its tasks.
std::string order_kind(std::string_view text);

}  // namespace nasvm
