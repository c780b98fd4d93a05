#pragma once
/// \file
/// What an endpoint does for those who ask: handlers, each under a number or a name.
///
/// Source: Foster, Geisler, Kesselman, Tuecke, Managing Multiple Communication Methods in High-Performance Networked
/// Computing Systems, section 2.3 (remote service requests).

#include <cstdint>
#include <functional>
#include <string_view>

namespace nasvm::service {

class Incoming;

/// Which handler of an endpoint: a number below 2^31, or a name, which stands for a number above (its FNV-1a hash).
/// Two names of one endpoint with the same hash are a UsageError when the second one is added.
class HandlerName {
 public:
  static constexpr std::uint32_t first_of_names = 1U << 31;

  constexpr HandlerName(std::uint32_t number) : number_(number & (first_of_names - 1)) {}  // NOLINT: on purpose
  constexpr HandlerName(std::string_view name) : number_(hash(name) | first_of_names), name_(name) {}
  constexpr HandlerName(const char* name) : HandlerName(std::string_view(name)) {}

  [[nodiscard]] constexpr std::uint32_t number() const { return number_; }
  /// Empty for a number.
  [[nodiscard]] constexpr std::string_view name() const { return name_; }

 private:
  static constexpr std::uint32_t hash(std::string_view name) {
    std::uint32_t value = 2166136261U;
    for (const char letter : name) value = (value ^ static_cast<unsigned char>(letter)) * 16777619U;
    return value;
  }

  std::uint32_t number_;
  std::string_view name_;
};

/// Carries out one request. It may make requests, and never waits for any: no Comm calls that block, no
/// Service::serve_until or flush. What it throws reaches who asked (Failure).
using Handler = std::function<void(Incoming&)>;

}  // namespace nasvm::service
