#include "harness/commands/mcast/sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// Does it take that parameter, beside those that are set with its name?
bool has(const multicast::Choice& choice, std::string_view parameter) {
  const multicast::Row& row = *choice.row;
  if (std::ranges::find(row.parameters, parameter, &ParameterRow::name) == row.parameters.end()) return false;
  Parameters with = choice.parameters;
  with.emplace(parameter, 1);
  return row.objection == nullptr || row.objection(with).empty();
}

/// Each of these with each value.
std::vector<ProtocolVariant> crossed(const std::vector<ProtocolVariant>& variants, const SweptParameter& swept) {
  std::vector<ProtocolVariant> all;
  for (const ProtocolVariant& variant : variants) {
    for (const std::string& value : swept.values) {
      all.push_back(variant);
      std::string& text = all.back().parameters;
      text += fmt::format("{}{}={}", text.empty() ? "" : ":", swept.parameter, value);
    }
  }
  return all;
}

std::vector<ProtocolVariant> variants_of(const std::string& protocol, std::span<const SweptParameter> parameters,
                                         std::span<const multicast::Row> rows) {
  const multicast::Choice choice = multicast::parse_protocol(protocol, rows);
  std::vector<ProtocolVariant> variants{{protocol, ""}};
  for (const SweptParameter& swept : parameters) {
    if (swept.values.empty() || !has(choice, swept.parameter)) continue;
    if (choice.parameters.contains(swept.parameter)) {
      throw UsageError(
          fmt::format("{} and {}: both set {}; leave one of them out", swept.option, protocol, swept.parameter));
    }
    variants = crossed(variants, swept);
  }
  for (const ProtocolVariant& variant : variants) (void)multicast::parse_protocol(text_of(variant), rows);
  return variants;
}

/// Those of the protocols that have not got it.
std::vector<std::string> lacking(std::span<const std::string> protocols, std::string_view parameter,
                                 std::span<const multicast::Row> rows) {
  std::vector<std::string> names;
  for (const std::string& protocol : protocols) {
    if (!has(multicast::parse_protocol(protocol, rows), parameter)) names.push_back(protocol);
  }
  return names;
}

}  // namespace

std::string text_of(const ProtocolVariant& variant) {
  return variant.protocol + (variant.parameters.empty() ? "" : ":") + variant.parameters;
}

Sweep make_sweep(std::span<const std::string> protocols, std::span<const SweptParameter> parameters,
                 std::span<const multicast::Row> rows) {
  Sweep sweep;
  for (const std::string& protocol : protocols) {
    for (ProtocolVariant& variant : variants_of(protocol, parameters, rows)) {
      sweep.variants.push_back(std::move(variant));
    }
  }
  for (const SweptParameter& swept : parameters) {
    if (swept.values.empty()) continue;
    const std::vector<std::string> without = lacking(protocols, swept.parameter, rows);
    if (without.size() == protocols.size()) {
      throw UsageError(
          fmt::format("{}: none of {} has a parameter {}", swept.option, joined(protocols), swept.parameter));
    }
    if (!without.empty()) {
      sweep.remarks.push_back(fmt::format("{}: {} no such parameter: measured without", swept.option,
                                          joined(without) + (without.size() == 1 ? " has" : " have")));
    }
  }
  return sweep;
}

}  // namespace nasvm
