#include "harness/commands/peers/record.hpp"

#include <array>

namespace nasvm {
namespace {

/// The values of PeerWay in documents and in tables.
constexpr std::array<std::string_view, 4> way_names{"as built", "huge pages", "serial", "over ours"};

}  // namespace

std::string_view to_text(PeerWay way) { return way_names[static_cast<std::size_t>(way)]; }

void describe(Fields& fields, PeerRecord& peer) {
  fields.text("kernel", peer.kernel);
  fields.letter("class", peer.problem_class);
  fields.integer("np", peer.np);
  fields.integer("repeat", peer.repeat, Need::optional);
  fields.text("program", peer.program, Need::optional);
  fields.choice("way", peer.way, {way_names});
  if (fields.has("transport", !peer.transport.empty())) fields.text("transport", peer.transport, Need::optional);
  fields.boolean("verified", peer.verified);
  fields.real("time_s", peer.time_s, Need::optional, withheld_unless(peer.verified));
  fields.real("mops", peer.mops, Need::optional, withheld_unless(peer.verified));
  fields.text("failure", peer.failure, Need::optional);
  fields.text("version", peer.version, Need::optional);
  fields.text("flags", peer.flags, Need::optional);
  describe_sampled(fields, peer.sampled);
}

}  // namespace nasvm
