#include "vm/abi/mpi/report.hpp"

#include <map>
#include <nlohmann/json.hpp>

namespace nasvm::mpi {
namespace {

using Json = nlohmann::ordered_json;

Json communication_of(const Counters& counters, const std::string& host, Ticks region) {
  const PeerCounters total = counters.total();
  return {{"rank", 0},
          {"host", host},
          {"bytes_sent", total.bytes_sent},
          {"bytes_received", total.bytes_received},
          {"messages_sent", total.messages_sent},
          {"messages_received", total.messages_received},
          {"time_s", to_seconds(counters.communication)},
          {"idle_s", to_seconds(counters.idle)},
          {"region_s", to_seconds(region)}};
}

Json methods_of(const Comm& world, const Counters& counters) {
  std::map<std::string, PeerCounters> by_method;
  for (Rank rank = 0; rank < world.size(); ++rank) {
    const PeerCounters& peer = counters.peers[static_cast<std::size_t>(rank)];
    if (peer.messages_sent == 0) continue;
    PeerCounters& method = by_method[std::string(world.method(rank))];
    method.bytes_sent += peer.bytes_sent;
    method.messages_sent += peer.messages_sent;
  }
  Json methods = Json::object();
  for (const auto& [name, method] : by_method) {
    methods[name] = {{"bytes", method.bytes_sent}, {"messages", method.messages_sent}};
  }
  return methods;
}

Json broadcasts_of(const Counters& counters) {
  Json broadcasts = Json::object();
  for (const auto& [way, all] : counters.broadcasts) {
    broadcasts[way] = {{"broadcasts", all.broadcasts}, {"bytes", all.bytes}};
  }
  return broadcasts;
}

Json pairs_of(const Comm& world, const Counters& counters) {
  Json pairs = Json::array();
  for (Rank rank = 0; rank < world.size(); ++rank) {
    const PeerCounters& peer = counters.peers[static_cast<std::size_t>(rank)];
    if (peer.messages_sent == 0) continue;
    pairs.push_back(
        {{"from", world.rank()}, {"to", rank}, {"bytes", peer.bytes_sent}, {"messages", peer.messages_sent}});
  }
  return pairs;
}

Json calls_of(const Statistics& statistics) {
  Json calls = Json::array();
  for (std::size_t i = 0; i < function_count; ++i) {
    const CallCount& call = statistics.of(static_cast<Function>(i));
    if (call.calls == 0) continue;
    calls.push_back({{"function", "MPI_" + std::string(function_facts[i].name)},
                     {"calls", call.calls},
                     {"time_s", to_seconds(call.time)},
                     {"bytes", call.bytes}});
  }
  return calls;
}

Json lengths_of(const Statistics& statistics) {
  Json lengths = Json::array();
  for (std::size_t i = 0; i < Statistics::lengths; ++i) {
    if (statistics.by_length()[i] == 0) continue;
    const std::uint64_t least = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
    lengths.push_back({{"bytes", least}, {"messages", statistics.by_length()[i]}});
  }
  return lengths;
}

}  // namespace

std::string report_of(const Comm& world, const Measured& measured, const std::string& host) {
  const Json report{{"verified", true},
                    {"time_s", to_seconds(measured.time)},
                    {"communication", communication_of(measured.counters, host, measured.time)},
                    {"methods", methods_of(world, measured.counters)},
                    {"broadcasts", broadcasts_of(measured.counters)},
                    {"sent_to", pairs_of(world, measured.counters)},
                    {"details", Json::object()},
                    {"calls", calls_of(measured.statistics)},
                    {"lengths", lengths_of(measured.statistics)}};
  return report.dump();
}

}  // namespace nasvm::mpi
