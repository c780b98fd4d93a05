#include "harness/commands/mcast/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/measuring/median_interval.hpp"
#include "harness/measuring/p99.hpp"
#include "vm/multicast/automatic.hpp"

namespace nasvm {
namespace {

constexpr std::array<std::string_view, 4> kind_names{"protocol", "unreliable", "message system", "copies"};

/// "time_s", "time_low_s" and so on of a record.
void describe(Fields& fields, const std::string& name, McastTime& time, const McastRecord& record) {
  const Shown shown = withheld_unless(is_right(record) && !std::isnan(time.median_s));
  const auto real = [&](const char* which, double& value) {
    fields.real((name + which).c_str(), value, Need::optional, std::isnan(value) ? Shown::withheld : shown);
  };
  real("_s", time.median_s);
  const bool are_enough = are_enough_for_median_interval(record.iterations);
  fields.real((name + "_low_s").c_str(), time.low_s, Need::optional,
              shown_if_enough(shown, !std::isnan(time.low_s), are_enough));
  fields.real((name + "_high_s").c_str(), time.high_s, Need::optional,
              shown_if_enough(shown, !std::isnan(time.high_s), are_enough));
  real("_mean_s", time.mean_s);
  real("_min_s", time.min_s);
  fields.real((name + "_p99_s").c_str(), time.p99_s, Need::optional,
              shown_p99(shown, !std::isnan(time.p99_s), record.iterations));
}

/// Counts of packets, processor time.
void describe(Fields& fields, McastCost& cost, Shown shown) {
  fields.real("data_packets", cost.data_packets, Need::optional, shown);
  fields.real("retransmitted", cost.retransmitted, Need::optional, shown);
  fields.real("control_packets", cost.control_packets, Need::optional, shown);
  fields.real("sender_cpu_s", cost.sender_cpu_s, Need::optional, shown);
  fields.real("receiver_cpu_s", cost.receiver_cpu_s, Need::optional, shown);
}

}  // namespace

bool McastRecord::went_by_messages() const { return chosen.starts_with(multicast::by_messages); }

std::string McastRecord::label() const {
  std::string text = protocol;
  if (!parameters.empty()) text += " " + parameters;
  std::replace(text.begin() + static_cast<std::ptrdiff_t>(protocol.size()), text.end(), ':', ' ');
  return text;
}

/// By what documents say of them: what is not known equals what is not known.
bool McastRecord::operator==(const McastRecord& other) const {
  return text_of_record(*this) == text_of_record(other);
}

void describe(Fields& fields, McastRecord& record) {
  fields.text("protocol", record.protocol);
  fields.text_if_known("parameters", record.parameters);
  fields.choice("kind", record.kind, {kind_names});
  fields.text_if_known("chosen", record.chosen);
  fields.text_if_known("figure", record.figure);
  fields.integer("receivers", record.receivers);
  fields.count("bytes", record.bytes);
  fields.integer("repeat", record.repeat, Need::optional);
  fields.count("packet_bytes", record.packet_bytes, Need::optional);
  fields.count("window", record.window, Need::optional);
  fields.boolean("authenticated", record.authenticated, Need::optional);
  if (fields.has("transport", record.transport != McastRecord::usual_transport)) {
    fields.text("transport", record.transport, Need::optional);
  }
  if (fields.has("ttl", record.ttl != McastRecord::usual_ttl)) fields.integer("ttl", record.ttl, Need::optional);
  fields.integer("unreached", record.unreached, Need::optional);
  fields.count("iterations", record.iterations, Need::optional);
  describe(fields, "time", record.time, record);
  double throughput = record.throughput_mbit_s();
  fields.real("throughput_mbit_s", throughput, Need::optional,
              withheld_unless(is_right(record) && !std::isnan(throughput)));
  describe(fields, "last", record.last, record);
  describe(fields, record.cost, withheld_unless(is_right(record)));
  fields.count("rejected", record.rejected, Need::optional);
  fields.count("incomplete", record.incomplete, Need::optional);
  describe_data_check(fields, record.data);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
