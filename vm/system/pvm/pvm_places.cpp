#include "vm/system/pvm/pvm_places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vm/launch/remote_command.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

void check_address(const HostSpec& host) {
  if (host.address.empty()) {
    throw UsageError(fmt::format("{}: transport pvm needs an address for {}, which does not resolve here",
                                 host.source, host.name));
  }
  if (host.address.find(':') != std::string::npos) {
    throw UsageError(
        fmt::format("{}: {} has the address {}, and PVM knows IPv4 only", host.source, host.name, host.address));
  }
}

/// A computer may stand there several times, under other names, too.
PvmPlace& place_of(const HostSpec& host, std::vector<PvmPlace>& places) {
  const auto found =
      std::ranges::find_if(places, [&](const PvmPlace& place) { return place.host.address == host.address; });
  if (found != places.end()) return *found;
  return places.emplace_back(PvmPlace{host, {}});
}

}  // namespace

PvmPlaces pvm_places(const std::vector<HostSpec>& hosts, int size) {
  const std::vector<int> placed = place_ranks(hosts, size);
  PvmPlaces places;
  for (Rank rank = 0; rank < size; ++rank) {
    const HostSpec& host = hosts[static_cast<std::size_t>(placed[static_cast<std::size_t>(rank)])];
    if (is_this_computer(host)) {
      places.here.push_back(rank);
      continue;
    }
    check_address(host);
    place_of(host, places.others).ranks.push_back(rank);
  }
  return places;
}

std::string pvm_hostfile(const std::vector<PvmPlace>& places) {
  std::string text;
  for (const PvmPlace& place : places) text += fmt::format("{} so=ms ip={}\n", place.host.name, place.host.address);
  return text;
}

/// "pvmd -S -d0x0 -nlab2 1 0a4d0001:855e 4080 2 0a4d0002:0000". Behind it PVM tells the same for Windows.
std::optional<PvmStart> parse_pvm_start(const std::string& line) {
  std::vector<std::string> words = words_of(line);
  if (words.size() < 3 || words[1] != "-S" || words[0].find('%') != std::string::npos) return std::nullopt;
  const auto name = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("-n"); });
  if (name == words.end()) return std::nullopt;
  PvmStart start{name->substr(2), {"-f"}};
  start.arguments.insert(start.arguments.end(), words.begin() + 1, words.end());
  return start;
}

bool is_pvm_answer(const std::string& line) { return line.starts_with("ddpro<"); }

}  // namespace nasvm
