#include "harness/commands/mcast/plan.hpp"

#include "harness/commands/mcast/copies_channel.hpp"
#include "harness/commands/mcast/raw/raw.hpp"
#include "harness/session/plan.hpp"
#include "vm/parameters.hpp"

namespace nasvm {
namespace {

McastKind kind_of(const ProtocolVariant& variant) {
  const std::string_view name = split_order(variant.protocol).front().name;
  if (name == copies_name) return McastKind::copies;
  return name == raw_name ? McastKind::unreliable : McastKind::protocol;
}

}  // namespace

std::vector<McastSpec> make_mcast_plan(const McastOptions& options) {
  std::vector<McastSpec> round;
  for (const int receivers : options.receivers) {
    for (const ProtocolVariant& variant : options.variants)
      round.push_back({kind_of(variant), variant, receivers, 0});
    for (const std::string& system : options.beside) {
      round.push_back({McastKind::system, {system, ""}, receivers, 0});
    }
  }
  std::vector<McastSpec> plan;
  append_rounds(plan, round, options.runs, [](McastSpec& spec, int repeat) { spec.repeat = repeat; });
  return plan;
}

}  // namespace nasvm
