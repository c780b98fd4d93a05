#include "vm/multicast/wire/group_address.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <charconv>
#include <optional>

#include "vm/status.hpp"

namespace nasvm::multicast {
namespace {

constexpr std::string_view purpose = "nasvm multicast group 1";
constexpr std::size_t identifier_digits = 16;
/// Above what Linux hands out by default (32768 to 60999).
constexpr std::uint32_t first_port = 61000;
constexpr std::uint32_t ports = 65536 - first_port;
constexpr std::string_view range = "239.255.";

/// "<before>rest" without what comes before `separator`, which is returned; all of it where there is none.
std::string_view take_until(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + separator.size());
  return taken;
}

template <typename T>
std::optional<T> number(std::string_view digits, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string_view name_of(Authentication authentication) {
  return authentication == Authentication::tag ? "authenticated" : "open";
}

bool is_multicast_of_site(const net::SocketAddress& address) {
  return address.family() == AF_INET && address.host().starts_with(range) && address.port() >= first_port;
}

std::optional<GroupAddress> read(std::string_view text) {
  const std::string_view identifier = take_until(text, "@");
  const std::string_view address = take_until(text, ":ttl=");
  const std::string_view ttl = take_until(text, ":");
  const auto read_identifier = number<std::uint64_t>(identifier, 16);
  const auto read_ttl = number<int>(ttl);
  if (!read_identifier || identifier.size() != identifier_digits || !read_ttl) return std::nullopt;
  GroupAddress group;
  group.identifier = *read_identifier;
  group.address = net::parse_address(address);
  group.ttl = *read_ttl;
  group.authentication = text == name_of(Authentication::tag) ? Authentication::tag : Authentication::none;
  const bool sound = is_multicast_of_site(group.address) && group.ttl >= 1 && group.ttl <= max_ttl &&
                     text == name_of(group.authentication);
  return sound ? std::optional(group) : std::nullopt;
}

}  // namespace

std::string GroupAddress::text() const {
  return fmt::format("{:0{}x}@{}:ttl={}:{}", identifier, identifier_digits, address.text(), ttl,
                     name_of(authentication));
}

GroupAddress draw_group_address(Authentication authentication, int ttl) {
  if (sodium_init() < 0) throw RunError("libsodium cannot be initialised; is its random source readable?");
  GroupAddress group;
  randombytes_buf(&group.identifier, sizeof group.identifier);
  const std::uint32_t place = randombytes_uniform(1U << 16);
  const auto port = static_cast<std::uint16_t>(first_port + randombytes_uniform(ports));
  group.address = net::make_address(fmt::format("{}{}.{}", range, place >> 8, place & 0xff), port);
  group.ttl = ttl;
  group.authentication = authentication;
  return group;
}

GroupAddress parse_group_address(std::string_view text) {
  try {
    if (const auto group = read(text)) return *group;
  } catch (const RunError&) {  // of the socket address; said as a whole
  }
  throw RunError(fmt::format("\"{}\" is not a multicast group like {}", text,
                             "1f3c90aa74d20e51@239.255.7.19:61044:ttl=1:authenticated"));
}

Secret key_of(const GroupAddress& group, const Secret& machine) {
  if (sodium_init() < 0) throw RunError("libsodium cannot be initialised; is its random source readable?");
  const std::string text = std::string(purpose) + " " + group.text();
  Secret key;
  crypto_generichash(reinterpret_cast<unsigned char*>(key.data()), key.size(),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                     reinterpret_cast<const unsigned char*>(machine.data()), machine.size());
  return key;
}

}  // namespace nasvm::multicast
