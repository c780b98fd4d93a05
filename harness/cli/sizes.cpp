#include "harness/cli/sizes.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

[[noreturn]] void refuse_sizes(const std::string& text) {
  throw UsageError(fmt::format(
      "-m {}: expected sizes in bytes: MIN:MAX (8:4k; one size is 2M:2M), MIN no more than MAX, MAX alone "
      "(from 0 to it), or a list (1k,64k), each up to 1G",
      text));
}

/// Bytes of "4k"; `all` is for the complaint.
std::uint64_t parse_bytes(const std::string& text, const std::string& all) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string ending(end, static_cast<const char*>(text.data() + text.size()));
  const bool known =
      ending.empty() || (ending.size() == 1 && std::string_view("kKmMgG").find(ending[0]) != std::string_view::npos);
  if (error != std::errc() || !known || value > most_bytes) refuse_sizes(all);
  if (ending.empty()) return value;
  const int shift = ending == "k" || ending == "K" ? 10 : ending == "m" || ending == "M" ? 20 : 30;
  if (value > (most_bytes >> shift)) refuse_sizes(all);
  return value << shift;
}

/// "1k,64k,2M": these; "64k,": this one.
std::vector<std::uint64_t> parse_size_list(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  const bool ends_with_comma = text.size() > 1 && text.ends_with(',');
  for (const std::string& size : split(text.substr(0, text.size() - (ends_with_comma ? 1 : 0)), ',')) {
    sizes.push_back(parse_bytes(size, text));
  }
  refuse_repeats("-m", text, sizes);
  return sizes;
}

}  // namespace

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string least = colon == std::string::npos ? "0" : text.substr(0, colon);
  std::string most = colon == std::string::npos ? text : text.substr(colon + 1);
  if (most.empty() && colon != std::string::npos) most = "4M";
  const std::uint64_t last = parse_bytes(most, text);
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = parse_bytes(least, text); size <= last; size = std::max<std::uint64_t>(1, 2 * size)) {
    sizes.push_back(size);
  }
  if (sizes.empty()) refuse_sizes(text);
  if (colon == std::string::npos && sizes.back() != last) sizes.push_back(last);
  return sizes;
}

std::vector<std::uint64_t> parse_sizes_or_list(const std::string& text) {
  return text.find(',') == std::string::npos ? parse_sizes(text) : parse_size_list(text);
}

std::vector<std::uint64_t> parse_size_or_sizes(const std::string& text) {
  const bool is_one = text.find_first_of(",:") == std::string::npos;
  return is_one ? std::vector{parse_bytes(text, text)} : parse_sizes_or_list(text);
}

}  // namespace nasvm
