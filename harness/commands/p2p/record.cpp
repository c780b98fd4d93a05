#include "harness/commands/p2p/record.hpp"

#include <iterator>

#include <fmt/format.h>

#include "harness/measuring/p99.hpp"
#include "harness/statistics.hpp"

namespace nasvm {

Latency latency_of(std::span<const double> seconds, Sample sample) {
  const double us_per_s = sample == Sample::round_trip ? 1e6 / 2 : 1e6;
  const Summary summary = summarize(seconds);
  const double p99_s = are_enough_for_p99(std::ssize(seconds)) ? quantile(seconds, 0.99) : 0;
  return {summary.median * us_per_s, summary.mean * us_per_s, summary.min * us_per_s, p99_s * us_per_s,
          summary.max * us_per_s};
}

void describe_latency(Fields& fields, Latency& latency, Shown shown, std::int64_t iterations) {
  // Without their number a p99 that is there is taken for one.
  const std::int64_t times = iterations == 0 ? least_for_p99 : iterations;
  const auto real = [&](const char* name, double& value) {
    fields.real(name, value, Need::optional, shown_if_known(shown, value));
  };
  real("latency_us", latency.median_us);
  real("latency_mean_us", latency.mean_us);
  real("latency_min_us", latency.min_us);
  fields.real("latency_p99_us", latency.p99_us, Need::optional, shown_p99(shown, latency.p99_us > 0, times));
  real("latency_max_us", latency.max_us);
}

void describe_bound(Fields& fields, std::optional<bool>& bound) {
  if (!fields.has("bound", bound.has_value())) return;
  bool read = bound.value_or(false);
  fields.boolean("bound", read, Need::optional);
  if (bound != read) bound = read;  // writers change nothing
}

std::string path_text(const std::string& transport, const std::string& method) {
  const bool plain = method.empty() || transport == method || transport.starts_with(method + ":");
  return plain ? transport : fmt::format("{} ({})", transport, method);
}

}  // namespace nasvm
