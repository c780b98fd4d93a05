#include "harness/commands/exec/order.hpp"

#include "harness/session/order.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

struct Order {
  abi::ProgramOrder program;
};

void describe(Fields& fields, Order& order) {
  describe_kind(fields, order_kind_program);
  abi::ProgramOrder& program = order.program;
  fields.text("program", program.program);
  fields.texts("arguments", program.arguments);
  fields.text("folder", program.folder, Need::optional);
  fields.texts("variables", program.variables);
  fields.text("streams", program.streams, Need::optional);
  fields.text("expected", program.expected, Need::optional);
  fields.boolean("tags_output", program.tags_output, Need::optional);
  fields.boolean("times_calls", program.times_calls, Need::optional);
  using std::chrono::milliseconds;
  auto time_ms = static_cast<std::uint64_t>(program.time.count());
  fields.count("time_ms", time_ms, Need::optional);
  program.time = milliseconds(time_ms);
  auto until_ms =
      static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(program.until.time_since_epoch()).count());
  fields.count("until_ms", until_ms, Need::optional);
  program.until = std::chrono::system_clock::time_point(milliseconds(until_ms));
}

/// What a task says of a function or a length; the rest is the run's.
struct CallPart {
  CallRecord record;
};
struct LengthPart {
  LengthRecord record;
};
void describe(Fields& fields, CallPart& call) {
  fields.text("function", call.record.function);
  fields.count("calls", call.record.calls);
  fields.count("bytes", call.record.bytes);
  fields.real("time_s", call.record.time_s);
}
void describe(Fields& fields, LengthPart& length) {
  fields.count("bytes", length.record.bytes);
  fields.count("messages", length.record.messages);
}

struct Parts {
  std::vector<CallPart> calls;
  std::vector<LengthPart> lengths;
};
void describe(Fields& fields, Parts& parts) {
  fields.list("calls", parts.calls);
  fields.list("lengths", parts.lengths);
}

}  // namespace

void describe(Fields& fields, CallRecord& call) {
  fields.text("kernel", call.kernel);
  fields.integer("np", call.np);
  fields.text("transport", call.transport);
  fields.integer("repeat", call.repeat, Need::optional);
  fields.text("function", call.function);
  fields.count("calls", call.calls);
  fields.count("bytes", call.bytes, Need::optional);
  fields.real("time_s", call.time_s, Need::optional);
  fields.real("time_mean_s", call.time_mean_s, Need::optional);
  fields.real("time_min_s", call.time_min_s, Need::optional);
}

void describe(Fields& fields, LengthRecord& length) {
  fields.text("kernel", length.kernel);
  fields.integer("np", length.np);
  fields.text("transport", length.transport);
  fields.integer("repeat", length.repeat, Need::optional);
  fields.count("bytes", length.bytes);
  fields.count("messages", length.messages);
}

std::string order_text(const abi::ProgramOrder& order) { return text_of_record(Order{order}); }

abi::ProgramOrder program_order(std::string_view text) { return record_of_text<Order>(text).program; }

std::optional<ProgramReport> program_report(std::string_view text) try {
  ProgramReport report;
  Parts parts;
  from_json(text, "report", [&](Fields& fields) {
    describe(fields, report.task);
    describe(fields, parts);
  });
  for (CallPart& part : parts.calls) report.calls.push_back(std::move(part.record));
  for (LengthPart& part : parts.lengths) report.lengths.push_back(part.record);
  return report;
} catch (const UsageError&) {
  return {};
}

}  // namespace nasvm
