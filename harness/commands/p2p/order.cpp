#include "harness/commands/p2p/order.hpp"

#include "harness/commands/p2p/record_json.hpp"
#include "harness/kernel_runs/task_report.hpp"

namespace nasvm {
namespace {

template <typename T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <typename T>
std::optional<T> optional_of(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

template <typename Record>
Json list_of(const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(json_of(record));
  return list;
}

}  // namespace

std::string P2pOrder::to_text() const {
  return Json{{"kind", order_kind_p2p},
              {"measured", kind},
              {"collectives", collectives},
              {"yardstick", yardstick},
              {"address", address},
              {"sizes", sizes},
              {"iterations", json_of(effort.iterations)},
              {"warmup", json_of(effort.warmup)},
              {"window", json_of(effort.window)},
              {"check", effort.check_data},
              {"buffers", effort.buffers},
              {"bind", bind},
              {"sample_time_s", effort.sample_time_s}}
      .dump();
}

P2pOrder P2pOrder::from_text(std::string_view text) {
  const Json json = Json::parse(text);
  P2pOrder order;
  order.kind = json.at("measured").get<P2pKind>();
  order.collectives = json.at("collectives").get<std::vector<std::string>>();
  order.yardstick = json.at("yardstick").get<std::string>();
  order.address = json.at("address").get<std::string>();
  order.sizes = json.at("sizes").get<std::vector<std::uint64_t>>();
  order.effort.iterations = optional_of<std::int64_t>(json.at("iterations"));
  order.effort.warmup = optional_of<std::int64_t>(json.at("warmup"));
  order.effort.window = optional_of<int>(json.at("window"));
  order.effort.check_data = json.at("check").get<bool>();
  order.effort.buffers = json.at("buffers").get<int>();
  order.bind = json.at("bind").get<bool>();
  order.effort.sample_time_s = json.at("sample_time_s").get<double>();
  return order;
}

std::string P2pReport::to_text() const {
  return Json{{"records", list_of(records)},
              {"collectives", list_of(collectives)},
              {"mixed", list_of(mixed)},
              {"complaints", complaints}}
      .dump();
}

P2pReport P2pReport::from_text(std::string_view text) {
  const Json json = Json::parse(text);
  P2pReport report;
  const JsonReader in(json, "report of a task");
  for (const JsonReader& record : in.array("records").elements()) report.records.push_back(read_p2p_record(record));
  for (const JsonReader& record : in.array("collectives").elements()) {
    report.collectives.push_back(read_collective_record(record));
  }
  for (const JsonReader& record : in.array("mixed").elements()) report.mixed.push_back(read_mixed_record(record));
  report.complaints = json.at("complaints").get<std::vector<std::string>>();
  return report;
}

}  // namespace nasvm
