#pragma once
/// \file
/// What a task can tell of the routes that it considered.

#include <string>

namespace nasvm {

/// A transport of a peer's order of preference, and why it cannot carry messages there; empty when it can.
struct RouteCandidate {
  std::string transport;
  std::string why_not;
};

}  // namespace nasvm
