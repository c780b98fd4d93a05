#include <fmt/format.h>

#include "harness/commands/peers/report/report.hpp"
#include "harness/document/csv.hpp"

namespace nasvm {
namespace {

constexpr std::string_view head =
    "file,kernel,class,np,program,repeat,verified,time_s,mops,failure,version,flags,created\n";

/// Time and speed; a wrong result has none.
std::string speed_text(bool verified, double time_s, double mops) {
  return verified ? fmt::format("{},{}", time_s, mops) : ",";
}

std::string line(const Source& source, const RunRecord& run) {
  return fmt::format("{},{},{},{},{},{},{},{},,{},{},{}\n", csv_field(source.file), csv_field(run.kernel),
                     run.problem_class, run.np, csv_field("nasvm " + run.transport), run.repeat, run.verified,
                     speed_text(run.verified, run.time_s, run.mops), csv_field(source.document.build.version),
                     csv_field(source.document.build.flags), csv_field(source.document.created));
}

std::string line(const Source& source, const PeerRecord& peer) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(source.file), csv_field(peer.kernel),
                     peer.problem_class, peer.np, csv_field(peer.program), peer.repeat, peer.verified,
                     speed_text(peer.verified, peer.time_s, peer.mops), csv_field(peer.failure),
                     csv_field(peer.version), csv_field(peer.flags), csv_field(source.document.created));
}

}  // namespace

std::string render_peers_csv(std::span<const Source> sources) {
  std::string text(head);
  for (const Source& source : sources) {
    for (const RunRecord& run : source.document.runs) text += line(source, run);
    for (const PeerRecord& peer : source.document.peers) text += line(source, peer);
  }
  return text;
}

}  // namespace nasvm
