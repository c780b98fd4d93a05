#include "vm/system/protocol.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

namespace nasvm::system_protocol {
namespace {

using Json = nlohmann::json;

constexpr std::string_view line_prefix = "nasvm-task ";

/// Texts of tasks may be anything: what is no UTF-8 is replaced.
std::string line_of(const Json& content) {
  return std::string(line_prefix) + content.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

/// What follows the prefix; discarded when the line is another.
Json content_of(const std::string& line) {
  const std::size_t begin = line.find(line_prefix);
  if (begin == std::string::npos) return Json(Json::value_t::discarded);
  return Json::parse(line.substr(begin + line_prefix.size()), nullptr, false);
}

}  // namespace

std::string to_variable(const Order& order) {
  Json content{{"setup", order.setup}, {"parameters", order.parameters}, {"own_cores", order.own_cores}};
  if (order.rank != any_source) {
    content["rank"] = order.rank;
    content["size"] = order.size;
    content["hosts"] = order.hosts;
  }
  return std::string(order_variable) + "=" + content.dump();
}

Order own_order() {
  const char* text = std::getenv(order_variable);
  if (text == nullptr) {
    throw UsageError(std::string("not started for a run (") + order_variable + " is not set): nasvm run starts it");
  }
  const Json content = Json::parse(text);
  Order order;
  order.setup = content.at("setup").get<std::string>();
  for (const auto& [name, value] : content.at("parameters").items()) {
    order.parameters[name] = value.get<std::uint64_t>();
  }
  order.own_cores = content.at("own_cores").get<int>();
  order.rank = content.value("rank", any_source);
  order.size = content.value("size", 0);
  order.hosts = content.value("hosts", 1);
  return order;
}

std::string to_line(const Joined& joined) {
  return line_of({{"rank", joined.rank}, {"pid", joined.pid}, {"host", joined.host}});
}

std::string to_line(const GaveUp& gave_up) {
  return line_of({{"rank", gave_up.rank}, {"exit", static_cast<int>(gave_up.exit_status)}, {"text", gave_up.text}});
}

std::string to_line(const std::vector<std::string>& reports) { return line_of(Json(reports)); }

std::optional<std::variant<Joined, GaveUp>> parse_task_line(const std::string& line) {
  const Json content = content_of(line);
  if (!content.is_object()) return std::nullopt;
  try {
    const Rank rank = content.value("rank", -1);
    if (content.contains("text")) {
      return GaveUp{rank, static_cast<Exit>(content.value("exit", static_cast<int>(Exit::broken))),
                    content.value("text", "")};
    }
    return Joined{rank, content.value("pid", 0L), content.value("host", "")};
  } catch (const Json::type_error&) {
    return std::nullopt;
  }
}

std::optional<std::vector<std::string>> parse_reports(const std::string& line) {
  const Json content = content_of(line);
  const bool all_texts = content.is_array() &&
                         std::all_of(content.begin(), content.end(), [](const Json& one) { return one.is_string(); });
  if (!all_texts) return std::nullopt;
  return content.get<std::vector<std::string>>();
}

}  // namespace nasvm::system_protocol
