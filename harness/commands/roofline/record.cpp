#include "harness/commands/roofline/record.hpp"

#include "harness/commands/roofline/record_json.hpp"

namespace nasvm {

Json json_of(const LimitRecord& record) {
  return {{"what", record.what},           {"cores", record.cores},           {"bytes", record.bytes},
          {"read_gb_s", record.read_gb_s}, {"triad_gb_s", record.triad_gb_s}, {"gflop_s", record.gflop_s}};
}

Json json_of(const WorkRecord& record) {
  return {{"kernel", record.kernel},
          {"class", std::string(1, record.problem_class)},
          {"np", record.np},
          {"variant", record.variant},
          {"operations", record.operations},
          {"bytes", record.bytes},
          {"working_set_bytes", record.working_set_bytes}};
}

LimitRecord read_limit_record(const JsonReader& in) {
  return {in.text("what"),         in.integer("cores", 1),   in.count("bytes", 0),
          in.real("read_gb_s", 0), in.real("triad_gb_s", 0), in.real("gflop_s", 0)};
}

WorkRecord read_work_record(const JsonReader& in) {
  const std::string letter = in.text("class");
  if (letter.size() != 1) in.fail("class", "should be one letter");
  return {in.text("kernel"),
          letter[0],
          in.integer("np"),
          in.text("variant", ""),
          in.real("operations", 0),
          in.real("bytes", 0),
          in.real("working_set_bytes", 0)};
}

}  // namespace nasvm
