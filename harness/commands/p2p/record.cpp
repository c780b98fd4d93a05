#include "harness/commands/p2p/record.hpp"

#include <array>

#include <fmt/format.h>

#include "harness/statistics.hpp"

namespace nasvm {
namespace {

/// The values of DataCheck in documents and in tables.
constexpr std::array<std::string_view, 3> check_names{"unchecked", "correct", "wrong"};
constexpr std::array<std::string_view, 3> printed_check_names{"unchecked", "correct", "WRONG"};

}  // namespace

std::string_view to_text(DataCheck check) { return printed_check_names[static_cast<std::size_t>(check)]; }

Latency latency_of(std::span<const double> seconds, Sample sample) {
  const double us_per_s = sample == Sample::round_trip ? 1e6 / 2 : 1e6;
  const Summary summary = summarize(seconds);
  return {summary.median * us_per_s, summary.mean * us_per_s, summary.min * us_per_s,
          quantile(seconds, 0.99) * us_per_s, summary.max * us_per_s};
}

void describe_data_check(Fields& fields, DataCheck& check) {
  fields.choice("data", check, {check_names, printed_check_names});
}

void describe_latency(Fields& fields, Latency& latency, Shown shown) {
  fields.real("latency_us", latency.median_us, Need::optional, shown);
  fields.real("latency_mean_us", latency.mean_us, Need::optional, shown);
  fields.real("latency_min_us", latency.min_us, Need::optional, shown);
  fields.real("latency_p99_us", latency.p99_us, Need::optional, shown);
  fields.real("latency_max_us", latency.max_us, Need::optional, shown);
}

std::string path_text(const std::string& transport, const std::string& method) {
  const bool plain = method.empty() || transport == method || transport.starts_with(method + ":");
  return plain ? transport : fmt::format("{} ({})", transport, method);
}

}  // namespace nasvm
