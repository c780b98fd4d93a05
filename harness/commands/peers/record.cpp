#include "harness/commands/peers/record.hpp"

#include "harness/commands/peers/record_json.hpp"

namespace nasvm {

Json json_of(const PeerRecord& record) {
  const auto figure = [&](double value) { return record.verified ? Json(value) : Json(); };
  return {{"kernel", record.kernel},
          {"class", std::string(1, record.problem_class)},
          {"np", record.np},
          {"repeat", record.repeat},
          {"program", record.program},
          {"verified", record.verified},
          {"time_s", figure(record.time_s)},
          {"mops", figure(record.mops)},
          {"failure", record.failure},
          {"version", record.version},
          {"flags", record.flags}};
}

PeerRecord read_peer_record(const JsonReader& in) {
  PeerRecord record;
  record.kernel = in.text("kernel");
  const std::string letter = in.text("class");
  if (letter.size() != 1) in.fail("class", "should be one letter");
  record.problem_class = letter[0];
  record.np = in.integer("np");
  record.repeat = in.integer("repeat", 0);
  record.program = in.text("program", "");
  record.verified = in.boolean("verified");
  record.time_s = in.real("time_s", 0);
  record.mops = in.real("mops", 0);
  record.failure = in.text("failure", "");
  record.version = in.text("version", "");
  record.flags = in.text("flags", "");
  return record;
}

}  // namespace nasvm
