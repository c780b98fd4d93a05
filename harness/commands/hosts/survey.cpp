#include "harness/commands/hosts/survey.hpp"

namespace nasvm {

void describe(Fields& fields, Consideration& one) {
  fields.text("transport", one.transport);
  fields.text("why_not", one.why_not);
}

void describe(Fields& fields, PeerMethod& peer) {
  fields.integer("peer", peer.peer);
  fields.text("chosen", peer.chosen);
  fields.list("order", peer.order);
}

void describe(Fields& fields, TaskMethods& methods) { fields.list("peers", methods.peers); }

}  // namespace nasvm
