#include "vm/launch/hostfile.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
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
constexpr std::array<std::string_view, 4> slots_keys{"slots", "cpu", "cpus", "count"};
constexpr std::array<std::string_view, 2> max_slots_keys{"max_slots", "max-slots"};
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  ///< some editors begin UTF-8 with it

std::optional<std::string> resolve(const std::string& name) {
  if (name == "localhost") return "127.0.0.1";  // a bare system may have no /etc/hosts (RFC 6761, section 6.3)
  const auto address = net::resolve(name);
  return address.has_value() ? std::optional(address->host()) : std::nullopt;
}

bool is_of_one_host(const std::string& text) {
  const net::SocketAddress address = net::make_address(text, 0);
  if (address.family() == AF_INET6) {
    const auto& bytes = reinterpret_cast<const sockaddr_in6*>(address.get())->sin6_addr;
    return !IN6_IS_ADDR_UNSPECIFIED(&bytes) && !IN6_IS_ADDR_MULTICAST(&bytes);
  }
  const std::uint32_t number = ntohl(reinterpret_cast<const sockaddr_in*>(address.get())->sin_addr.s_addr);
  return number >> 24 != 0 && number >> 28 < 0xe && (number >> 24 != 127 || (number & 0xffffff) != 0xffffff);
}

/// A decimal number; -1 when it is something else.
int number_of(std::string_view digits) {
  int number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

/// A name that does not resolve here may be known to the remote shell or to Slurm: who cannot do without says so.
void find_address(HostSpec& host, const std::string& where) {
  host.source = where;
  host.address = resolve(host.name).value_or("");
  if (host.address.empty()) return;
  if (!is_of_one_host(host.address)) {
    throw UsageError(where + ": " + host.address + " is not the address of one host");
  }
  // Its interface is this computer's: on another one that name may be another link's, or nobody's.
  if (host.address.find('%') != std::string::npos && !is_this_computer(host)) {
    throw UsageError(where + ": " + host.address +
                     " is an address of one link, as this computer names it: give one that all hosts can use");
  }
}

/// "a slots = 2" as "a slots=2".
std::string without_blanks_at_equals(std::string_view line) {
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  std::string text;
  for (const char c : line) {
    if (is_blank(c) && text.ends_with('=')) continue;
    while (c == '=' && !text.empty() && is_blank(text.back())) text.pop_back();
    text += c;
  }
  return text;
}

/// One word behind the name of a host: "slots=2". What the line has not said yet is 0.
void parse_word(const std::string& word, const std::string& where, HostSpec& host) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  const bool is_slots = std::ranges::find(slots_keys, key) != slots_keys.end();
  if (!is_slots && std::ranges::find(max_slots_keys, key) == max_slots_keys.end()) {
    throw UsageError(where + ": \"" + word + "\" is not known; a line is: host slots=N max_slots=M");
  }
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > most_slots) {
    throw UsageError(where + ": " + key + "=\"" + value + "\" is not a number from 1 to " +
                     std::to_string(most_slots));
  }
  int& place = is_slots ? host.slots : host.max_slots;
  if (place != 0) {
    throw UsageError(where + ": \"" + word + "\" follows another number of " + (is_slots ? "slots" : "max_slots") +
                     "; a line has one");
  }
  place = number;
}

HostSpec parse_line(const std::string& line, const std::string& where) {
  std::istringstream words(without_blanks_at_equals(line));
  HostSpec host;
  words >> host.name;
  host.slots = 0;
  for (std::string word; words >> word;) parse_word(word, where, host);
  if (host.slots == 0) host.slots = 1;
  if (host.max_slots != 0 && host.max_slots < host.slots) {
    throw UsageError(where + ": max_slots=" + std::to_string(host.max_slots) +
                     " is less than slots=" + std::to_string(host.slots));
  }
  const auto is_name = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view(".-_:%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (host.name.size() > 2 && host.name.front() == '[' && host.name.back() == ']') {
    host.name = host.name.substr(1, host.name.size() - 2);
  }
  if (host.name.find('@') != std::string::npos) {
    throw UsageError(where + ": \"" + host.name +
                     "\" names a user: name the host alone, and its user in ~/.ssh/config (Host, User)");
  }
  if (!std::ranges::all_of(host.name, is_name) || host.name.starts_with('-')) {
    throw UsageError(where + ": \"" + host.name + "\" is not a host name or address");
  }
  if (host.name.find(':') != std::string::npos && !resolve(host.name).has_value()) {
    throw UsageError(where + ": \"" + host.name + "\" is not an IPv6 address; slots are written as slots=N");
  }
  find_address(host, where);
  return host;
}

/// Adds a host, or slots to one that is there.
void add_host(std::vector<HostSpec>& hosts, HostSpec host) {
  const auto same = std::ranges::find_if(hosts, [&](const HostSpec& other) { return is_one_host(other, host); });
  if (same == hosts.end()) {
    if (hosts.size() == static_cast<std::size_t>(max_hosts)) throw UsageError(host.source + ": too many hosts");
    hosts.push_back(std::move(host));
    return;
  }
  same->slots = std::min(same->slots + host.slots, most_slots);
  if (same->max_slots == 0 || (host.max_slots != 0 && host.max_slots < same->max_slots)) {
    same->max_slots = host.max_slots;
  }
}

/// "n[01-03,7]" as the names that it stands for.
std::vector<std::string> expand_nodes(const std::string& word) {
  const std::size_t open = word.find('[');
  if (open == std::string::npos) return {word};
  const std::size_t close = word.find(']', open);
  if (close == std::string::npos) throw UsageError("SLURM_JOB_NODELIST: \"" + word + "\" has no ]");
  std::vector<std::string> names;
  std::istringstream ranges(word.substr(open + 1, close - open - 1));
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t dash = range.find('-');
    const std::string first = range.substr(0, dash);
    const std::string last = dash == std::string::npos ? first : range.substr(dash + 1);
    const int from = number_of(first), to = number_of(last);
    if (from < 0 || to < from || to - from > max_hosts) {
      throw UsageError("SLURM_JOB_NODELIST: \"" + range + "\" is not a range such as 01-16");
    }
    for (int i = from; i <= to; ++i) {
      std::string number = std::to_string(i);
      if (number.size() < first.size()) number.insert(0, first.size() - number.size(), '0');
      for (const std::string& rest : expand_nodes(word.substr(close + 1))) {
        names.push_back(word.substr(0, open) + number + rest);
      }
    }
  }
  return names;
}

/// At commas outside of brackets.
std::vector<std::string> split_nodes(std::string_view list) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// "4(x2),2": 4, 4, 2.
std::vector<int> expand_slots(std::string_view text) {
  std::vector<int> slots;
  std::istringstream words{std::string(text)};
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t open = word.find("(x");
    const int count = number_of(word.substr(0, open));
    const int times = open == std::string::npos ? 1 : number_of(word.substr(open + 2, word.size() - open - 3));
    if (count < 1 || times < 1) throw UsageError("Slurm's number of tasks or processors is \"" + word + "\"");
    slots.insert(slots.end(), static_cast<std::size_t>(std::min(times, max_hosts)), std::min(count, most_slots));
  }
  return slots;
}

[[noreturn]] void throw_no_room(std::size_t most, int ranks) {
  throw UsageError(std::to_string(ranks) + " tasks are more than the hosts take: max_slots permits " +
                   std::to_string(most));
}

}  // namespace

bool is_this_computer(const HostSpec& host) {
  if (host.address.empty()) return false;
  try {
    return net::is_local(host.address);
  } catch (const RunError&) {
    return false;
  }
}

bool is_one_host(const HostSpec& a, const HostSpec& b) {
  return a.name == b.name || (!a.address.empty() && a.address == b.address);
}

bool all_here(const std::vector<HostSpec>& hosts) { return std::ranges::all_of(hosts, is_this_computer); }

std::vector<HostSpec> loopback_host() {
  utsname system{};
  const bool named = ::uname(&system) == 0 && system.nodename[0] != '\0';
  return {{named ? system.nodename : "localhost", "127.0.0.1", 1}};
}

std::vector<HostSpec> parse_hostfile(std::string_view text, const std::string& path) {
  std::vector<HostSpec> hosts;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find('\0') != std::string_view::npos) {
    throw UsageError(path + ": is not text: it has bytes that are 0, as UTF-16 has; save it as UTF-8");
  }
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.size(), line.find('#')));
    if (std::ranges::all_of(line, [](unsigned char c) { return std::isspace(c) != 0; })) continue;
    const std::string where = path + ":" + std::to_string(number);
    add_host(hosts, parse_line(line, where));
  }
  if (hosts.empty()) throw UsageError(path + ": no host in it; a line is: host slots=N");
  return hosts;
}

std::vector<HostSpec> parse_host_list(std::string_view text) {
  std::vector<HostSpec> hosts;
  std::istringstream words{std::string(text)};
  for (std::string word; std::getline(words, word, ',');) {
    const std::string where = "--host " + std::string(text);
    const std::size_t bracket = word.find(']');  // [::1]:2
    const std::size_t colon = word.find(':', bracket == std::string::npos ? 0 : bracket);
    const std::string slots = colon == std::string::npos ? "1" : word.substr(colon + 1);
    std::string name = word.substr(0, colon);
    if (bracket != std::string::npos && name.front() == '[' && bracket + 1 == name.size()) {
      name = name.substr(1, bracket - 1);
    } else if (bracket != std::string::npos || slots.find(':') != std::string::npos) {
      throw UsageError(where + ": an IPv6 address stands in brackets: [::1]:2");
    }
    if (name.empty()) throw UsageError(where + ": expected a list such as a:2,b");
    add_host(hosts, parse_line(name + " slots=" + slots, where));
  }
  if (hosts.empty()) throw UsageError("--host: expected a list such as a:2,b");
  return hosts;
}

std::vector<HostSpec> slurm_hosts(std::string_view nodes, std::string_view slots) {
  const std::vector<int> slots_of = expand_slots(slots);
  std::vector<HostSpec> hosts;
  std::size_t names = 0;  // more than hosts, where two are one host
  for (const std::string& word : split_nodes(nodes)) {
    for (const std::string& name : expand_nodes(word)) {
      if (name.empty()) continue;
      HostSpec host{.name = name, .address = {}, .slots = 1};
      if (names < slots_of.size()) host.slots = slots_of[names];
      ++names;
      find_address(host, "SLURM_JOB_NODELIST");
      add_host(hosts, std::move(host));
    }
  }
  if (hosts.empty()) throw UsageError("SLURM_JOB_NODELIST names no node");
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
