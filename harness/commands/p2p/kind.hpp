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
};

/// The option that asks for the kind, for messages; "" for the usual one.
constexpr std::string_view option_of(P2pKind kind) {
  return kind == P2pKind::collective ? "--collective" : kind == P2pKind::mixed ? "--mixed" : "";
}

}  // namespace nasvm
