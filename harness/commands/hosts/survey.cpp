#include "harness/commands/hosts/survey.hpp"

#include <nlohmann/json.hpp>

namespace nasvm {

using Json = nlohmann::ordered_json;

std::string TaskMethods::to_text() const {
  Json list = Json::array();
  for (const PeerMethod& peer : peers) {
    Json order = Json::array();
    for (const auto& [transport, why_not] : peer.order) order.push_back({transport, why_not});
    list.push_back({{"peer", peer.peer}, {"chosen", peer.chosen}, {"order", std::move(order)}});
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TaskMethods TaskMethods::from_text(std::string_view text) {
  TaskMethods methods;
  for (const Json& entry : Json::parse(text)) {
    PeerMethod peer{entry.at("peer").get<int>(), entry.at("chosen").get<std::string>(), {}};
    for (const Json& one : entry.at("order")) {
      peer.order.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>()});
    }
    methods.peers.push_back(std::move(peer));
  }
  return methods;
}

}  // namespace nasvm
