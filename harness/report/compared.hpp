#pragma once
/// \file
/// What of records may be held against other measurements of the same thing: by `nasvm regress`, and by
/// `nasvm history` over many documents. A command says it of its records in a function that its views name
/// (view.hpp).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/conditions/conditions.hpp"
#include "harness/document/document.hpp"

namespace nasvm {

/// A number that follows from the work and not from the machine, such as how many messages were sent.
struct Fact {
  std::string_view name;  ///< "messages"
  std::uint64_t value = 0;
};

enum class Better { lower, higher };

/// A measured figure: which, in which unit, and which way is up. One name is one statistic, whoever measured it.
struct FigureKind {
  std::string_view name;  ///< "time"
  std::string_view unit;  ///< "s"
  Better better = Better::lower;
};

/// One figure of one record.
struct Compared {
  std::string name;  ///< of the case: what samples must have in common, "ft class A, 8 tasks, direct"
  FigureKind figure;
  double value = 0;
  bool right = true;  ///< the result; a wrong one has no figure that counts
  std::vector<Fact> facts{};
  Sampled sampled{};
};

/// All figures of a document's records of one kind, in their order.
using CompareRecords = std::vector<Compared> (*)(const Document& document);

}  // namespace nasvm
