#include "vm/system/pvm/host_protocol.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

namespace nasvm::pvm_protocol {
namespace {

using Json = nlohmann::json;

constexpr std::string_view news_prefix = "nasvm-pvm-host ";

/// What a shell or a program says may be no UTF-8.
std::string text_of(const Json& content) { return content.dump(-1, ' ', true, Json::error_handler_t::replace); }

PvmShare share_of(const Json& content) {
  PvmShare share;
  content.at("program").get_to(share.program);
  content.at("arguments").get_to(share.arguments);
  content.at("environment").get_to(share.environment);
  content.at("ranks").get_to(share.ranks);
  content.at("setup").get_to(share.order.setup);
  content.at("own_cores").get_to(share.order.own_cores);
  content.at("size").get_to(share.order.size);
  content.at("hosts").get_to(share.order.hosts);
  for (const auto& [name, value] : content.at("parameters").items()) {
    share.order.parameters[name] = value.get<std::uint64_t>();
  }
  return share;
}

}  // namespace

std::string to_line(const PvmShare& share) {
  return Json{{"program", share.program}, {"arguments", share.arguments}, {"environment", share.environment},
              {"ranks", share.ranks},     {"setup", share.order.setup},   {"own_cores", share.order.own_cores},
              {"size", share.order.size}, {"hosts", share.order.hosts},   {"parameters", share.order.parameters}}
             .dump() +
         "\n";
}

std::string line_for_pvmd(const std::vector<std::string>& arguments) {
  return Json{{"pvmd", arguments}}.dump() + "\n";
}

std::string line_for_tasks() { return Json{{"tasks", true}}.dump() + "\n"; }

std::string line_for_life() { return Json{{"life", true}}.dump() + "\n"; }

Command parse_command(const std::string& line) {
  try {
    const Json content = Json::parse(line);
    Command command;
    if (content.contains("program")) command.share = share_of(content);
    else if (content.contains("pvmd")) command.pvmd = content["pvmd"].get<std::vector<std::string>>();
    else if (content.contains("life")) command.life = content["life"].get<bool>();
    else command.tasks = content.at("tasks").get<bool>();
    return command;
  } catch (const Json::exception&) {
    throw RunError("nasvm-pvm-host is started for a run over transport pvm, and by nobody else");
  }
}

std::string to_line(const News& news) {
  return std::string(news_prefix) +
         text_of({{"kind", static_cast<int>(news.kind)},
                  {"text", news.text},
                  {"rank", news.rank},
                  {"status", news.wait_status},
                  {"exit", static_cast<int>(news.exit_status)}}) +
         "\n";
}

std::optional<News> parse_news(const std::string& line) {
  if (!line.starts_with(news_prefix)) return std::nullopt;
  const Json content = Json::parse(line.substr(news_prefix.size()), nullptr, false);
  if (!content.is_object()) return std::nullopt;
  try {
    return News{static_cast<News::Kind>(content.at("kind").get<int>()), content.at("text").get<std::string>(),
                content.at("rank").get<Rank>(), content.at("status").get<int>(),
                static_cast<Exit>(content.at("exit").get<int>())};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace nasvm::pvm_protocol
