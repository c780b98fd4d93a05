#pragma once
/// \file
/// What `nasvm p2p` can measure. Each kind has its own records in the result document and its own tables; plan, runs,
/// exports and comparing are the same for all.

#include <string_view>

namespace nasvm {

enum class P2pKind {
  pair,        ///< messages between two tasks
  collective,  ///< collectives among several tasks
  mixed,       ///< messages of one task with two others over two transports at once
  service,     ///< requests beside messages between two tasks
  coupled,     ///< a model of two components, with one transport inside each and another between them
};

/// The option that asks for the kind, for messages; "" for the usual one.
constexpr std::string_view option_of(P2pKind kind) {
  switch (kind) {
    case P2pKind::collective:
      return "--collective";
    case P2pKind::mixed:
      return "--mixed";
    case P2pKind::service:
      return "--service";
    case P2pKind::coupled:
      return "--coupled";
    case P2pKind::pair:
      break;
  }
  return "";
}

}  // namespace nasvm
