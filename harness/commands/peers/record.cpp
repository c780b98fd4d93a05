#include "harness/commands/peers/record.hpp"

namespace nasvm {

void describe(Fields& fields, PeerRecord& peer) {
  fields.text("kernel", peer.kernel);
  fields.letter("class", peer.problem_class);
  fields.integer("np", peer.np);
  fields.integer("repeat", peer.repeat, Need::optional);
  fields.text("program", peer.program, Need::optional);
  fields.boolean("verified", peer.verified);
  fields.real("time_s", peer.time_s, Need::optional, withheld_unless(peer.verified));
  fields.real("mops", peer.mops, Need::optional, withheld_unless(peer.verified));
  fields.text("failure", peer.failure, Need::optional);
  fields.text("version", peer.version, Need::optional);
  fields.text("flags", peer.flags, Need::optional);
  describe_sampled(fields, peer.sampled);
}

}  // namespace nasvm
