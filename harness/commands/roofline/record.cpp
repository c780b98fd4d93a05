#include "harness/commands/roofline/record.hpp"

namespace nasvm {

void describe(Fields& fields, LimitRecord& limit) {
  fields.text("what", limit.what);
  fields.integer("cores", limit.cores, Need::optional);
  fields.count("bytes", limit.bytes, Need::optional);
  fields.real("read_gb_s", limit.read_gb_s, Need::optional);
  fields.real("triad_gb_s", limit.triad_gb_s, Need::optional);
  fields.real("gflop_s", limit.gflop_s, Need::optional);
}

void describe(Fields& fields, WorkRecord& work) {
  fields.text("kernel", work.kernel);
  fields.letter("class", work.problem_class);
  fields.integer("np", work.np);
  fields.text("variant", work.variant, Need::optional);
  fields.real("operations", work.operations, Need::optional);
  fields.real("bytes", work.bytes, Need::optional);
  fields.real("working_set_bytes", work.working_set_bytes, Need::optional);
}

}  // namespace nasvm
