#include "vm/launch/hostfile.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

#include "vm/message.hpp"
#include "vm/net/address.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr int most_slots = 4096;
constexpr std::size_t max_hostfile_bytes = 1 << 20;

std::optional<std::string> resolve(const std::string& name) {
  if (name == "localhost") return "127.0.0.1";  // a bare system may have no /etc/hosts (RFC 6761, section 6.3)
  addrinfo hints{};
  hints.ai_family = AF_INET;
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0 || found == nullptr) return std::nullopt;
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr, text, sizeof text);
  ::freeaddrinfo(found);
  return text;
}

/// One word behind the name of a host: "slots=2".
void parse_word(const std::string& word, const std::string& where, HostSpec& host) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (key != "slots" && key != "max_slots" && key != "max-slots") {
    throw UsageError(where + ": \"" + word + "\" is not known; a line is: host slots=N max_slots=M");
  }
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > most_slots) {
    throw UsageError(where + ": " + key + "=\"" + value + "\" is not a number from 1 to " +
                     std::to_string(most_slots));
  }
  (key == "slots" ? host.slots : host.max_slots) = number;
}

HostSpec parse_line(const std::string& line, const std::string& where) {
  std::istringstream words(line);
  HostSpec host;
  words >> host.name;
  for (std::string word; words >> word;) parse_word(word, where, host);
  if (host.max_slots != 0 && host.max_slots < host.slots) {
    throw UsageError(where + ": max_slots=" + std::to_string(host.max_slots) +
                     " is less than slots=" + std::to_string(host.slots));
  }
  const auto is_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; };
  const auto address = std::ranges::all_of(host.name, is_name) ? resolve(host.name) : std::nullopt;
  if (!address.has_value()) {
    throw UsageError(where + ": \"" + host.name + "\" is not a host name or IPv4 address that can be resolved");
  }
  host.address = *address;
  const std::uint32_t number = ntohl(::inet_addr(host.address.c_str()));
  if (number >> 24 == 0 || number >> 28 >= 0xe || (number >> 24 == 127 && (number & 0xffffff) == 0xffffff)) {
    throw UsageError(where + ": " + host.address + " is not the address of one host");
  }
  return host;
}

[[noreturn]] void throw_no_room(std::size_t most, int ranks) {
  throw UsageError(std::to_string(ranks) + " tasks are more than the hosts of the hostfile take: max_slots permits " +
                   std::to_string(most));
}

}  // namespace

bool is_this_computer(const HostSpec& host) {
  try {
    (void)net::listen_on(host.address, 1);
    return true;
  } catch (const RunError&) {
    return false;
  }
}

bool all_here(const std::vector<HostSpec>& hosts) { return std::ranges::all_of(hosts, is_this_computer); }

std::vector<HostSpec> loopback_host() {
  utsname system{};
  const bool named = ::uname(&system) == 0 && system.nodename[0] != '\0';
  return {{named ? system.nodename : "localhost", "127.0.0.1", 1}};
}

std::vector<HostSpec> parse_hostfile(std::string_view text, const std::string& path) {
  std::vector<HostSpec> hosts;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.size(), line.find('#')));
    if (std::ranges::all_of(line, [](unsigned char c) { return std::isspace(c) != 0; })) continue;
    const std::string where = path + ":" + std::to_string(number);
    HostSpec host = parse_line(line, where);
    const auto same = std::ranges::find(hosts, host.address, &HostSpec::address);
    if (same != hosts.end()) throw UsageError(where + ": host \"" + host.name + "\" stands in the file twice");
    hosts.push_back(std::move(host));
  }
  if (hosts.empty()) throw UsageError(path + ": no host in it; a line is: host slots=N");
  if (hosts.size() > static_cast<std::size_t>(max_hosts)) throw UsageError(path + ": too many hosts");
  return hosts;
}

std::vector<HostSpec> read_hostfile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char next; file.get(next);) {  // a folder can be opened but not read
    text += next;
    if (text.size() > max_hostfile_bytes) throw UsageError("hostfile \"" + path + "\" is longer than a megabyte");
  }
  if (!file.is_open() || file.bad()) {
    throw UsageError("cannot read hostfile \"" + path + "\": is it there and readable?");
  }
  return parse_hostfile(text, path);
}

std::vector<HostSpec> spread_over(std::vector<HostSpec> hosts, int count, int ranks) {
  assert(count >= 1 && static_cast<std::size_t>(count) <= hosts.size());
  hosts.resize(static_cast<std::size_t>(count));
  int slots = 0;
  for (const HostSpec& host : hosts) slots += host.slots;
  if (ranks >= slots) return hosts;
  std::vector<int> shares(hosts.size());
  for (std::size_t host = 0; ranks > 0; host = (host + 1) % hosts.size()) {
    if (shares[host] == hosts[host].slots) continue;
    ++shares[host];
    --ranks;
  }
  for (std::size_t host = 0; host < hosts.size(); ++host) hosts[host].slots = shares[host];
  return hosts;
}

std::vector<int> place_ranks(const std::vector<HostSpec>& hosts, int ranks) {
  assert(!hosts.empty());
  std::vector<int> host_of_rank;
  std::vector<int> tasks_of_host(hosts.size());
  const auto left = [&] { return ranks - static_cast<int>(host_of_rank.size()); };
  for (std::size_t host = 0, full = 0; left() > 0; host = (host + 1) % hosts.size()) {
    const int room = hosts[host].max_slots == 0 ? left() : hosts[host].max_slots - tasks_of_host[host];
    const int taken = std::min({hosts[host].slots, room, left()});
    full = taken == 0 ? full + 1 : 0;
    if (full == hosts.size()) throw_no_room(host_of_rank.size(), ranks);
    tasks_of_host[host] += taken;
    host_of_rank.insert(host_of_rank.end(), static_cast<std::size_t>(taken), static_cast<int>(host));
  }
  return host_of_rank;
}

}  // namespace nasvm
