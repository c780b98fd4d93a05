#pragma once
/// \file
/// The conditions under which a sample was taken, and which samples were taken under the same: pure decisions. On
/// virtual machines they change by themselves from minute to minute (docs/decisions/conditions.md).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/fields.hpp"

namespace nasvm {

/// Of this host. 0: not known, or none.
struct Conditions {
  double core_to_core_ns = 0;  ///< a cache line from one core to another, the farthest neighbours of those used
  double memory_gb_s = 0;      ///< one core reads memory; 1 GB = 10^9 bytes
  double stolen_s = 0;         ///< by the hypervisor during the sample, all cores together
  double load_others = 0;      ///< cores that other programs kept busy during the sample, on average
  double elapsed_s = 0;        ///< length of the sample, with its start and its end

  bool operator==(const Conditions&) const = default;
};

/// What every sample has in the document; samples of older documents have nothing.
struct Sampled {
  std::optional<Conditions> conditions;
  /// They were others at its end than at its beginning, or others than those of the samples that it stands beside:
  /// the sample is set apart.
  bool changed = false;

  bool operator==(const Sampled&) const = default;
};

void describe(Fields& fields, Conditions& conditions);
/// The fields "conditions" and "conditions_changed" of a record.
void describe_sampled(Fields& fields, Sampled& sampled);

/// What probes saw, before a sample or after it.
struct Probed {
  double core_to_core_ns = 0;
  double memory_gb_s = 0;
};

/// Has nothing changed that matters between two probes?
bool is_steady(const Probed& before, const Probed& after);

/// Could two samples be compared? Where something is not known of one, it counts as equal.
bool are_same(const Conditions& a, const Conditions& b);

/// One side of a comparison: the samples of one transport, program or document.
using SampledSide = std::span<const Sampled>;

/// Which samples of each side were taken under the same conditions: those like one of them, chosen so that the side
/// with the fewest of them has as many as possible, then all together. Those whose own conditions changed are none of
/// them; those without conditions are.
std::vector<std::vector<bool>> alike(std::span<const SampledSide> sides);

/// The middle of several samples; empty when none has conditions.
std::optional<Conditions> typical(SampledSide samples);

/// For people: "core to core 55 ns, memory 12.3 GB/s, stolen 1.2 %, load by others 0.1".
std::string text_of(const Conditions& conditions);

}  // namespace nasvm
