#include "vm/files/session.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "vm/files/service_line.hpp"

namespace nasvm::files {
namespace {

constexpr std::array<std::string_view, 2> owners_words{"all", "host"};
constexpr std::array<std::string_view, 2> eviction_words{"lru", "fifo"};
constexpr std::array<std::string_view, 2> switch_words{"off", "on"};
constexpr std::uint64_t most_memory = std::uint64_t{1} << 40;

constexpr ParameterRow rows[] = {
    {"block", ParameterKind::bytes, 4096, 1 << 26, "bytes of a block, whole pages (64k)"},
    {"data", ParameterKind::bytes, 0, most_memory, "read-only data cache of each task (8M)"},
    {"disk", ParameterKind::bytes, 4096, most_memory, "disk cache of each task (64M)"},
    {"batch", ParameterKind::bytes, 4096, 1 << 26, "writes to one owner in one message (64k, a block at least)"},
    {"owners", ParameterKind::word, 0, owners_words.size() - 1,
     "tasks that are responsible for blocks, or their numbers: 0,3 (all)", owners_words},
    {"evict", ParameterKind::word, 0, eviction_words.size() - 1, "which block goes when there is no room (lru)",
     eviction_words},
    {"sync", ParameterKind::word, 0, 1, "flush and close end with fsync (on)", switch_words},
    {"share", ParameterKind::word, 0, 1, "read from caches of other tasks on the same computer (on)", switch_words},
    {"prefetch", ParameterKind::word, 0, 1, "ask ahead where reads show a pattern (on)", switch_words},
    {"handon", ParameterKind::word, 0, 1, "tasks of one host fetch others' blocks for each other (on)", switch_words},
    {"straight", ParameterKind::bytes, 0, most_memory,
     "reads of so many bytes and more come straight from the page cache of the host (512; 0: none)"},
    {"thread", ParameterKind::word, 0, 1, "others are served by a thread, also while the task computes (off)",
     switch_words},
    {"direct", ParameterKind::word, 0, 1, "past the page cache, where the file system can (off)", switch_words},
};

/// Messages of a program of one task: there are none.
class LoneLine final : public Line {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void post(int, std::vector<std::byte>) override {}
  void progress() override {}
  bool wait_until(const std::function<bool()>& done, TimePoint) override { return done(); }
  void listen(Listener) override {}
  [[nodiscard]] bool is_gone(int) const override { return false; }
  [[nodiscard]] std::uint64_t calls() const override { return 0; }
};

Options with_places(Options options, const Task& task) {
  options.crowded = task.shares_cores();
  options.hosts.clear();
  for (const Tid sibling : task.siblings()) options.hosts.push_back(sibling.host());
  return options;
}

void check_owners(const Options& options, int tasks) {
  for (const int owner : options.owner_list) {
    if (owner < tasks) continue;
    throw FileError(EINVAL, fmt::format("owners={}: there {}", fmt::join(options.owner_list, ","),
                                        tasks == 1 ? "is task 0" : fmt::format("are tasks 0 to {}", tasks - 1)));
  }
}

/// "owners=0,3": these tasks.
std::optional<std::vector<int>> owner_list_of(std::string_view parameter) {
  constexpr std::string_view name = "owners=";
  if (!parameter.starts_with(name)) return {};
  std::string_view list = parameter.substr(name.size());
  if (list.empty() || list.front() < '0' || list.front() > '9') return {};
  std::vector<int> owners;
  for (;;) {
    int task = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), task);
    if (error != std::errc{} || task < 0) break;
    owners.push_back(task);
    list.remove_prefix(static_cast<std::size_t>(end - list.data()));
    if (list.empty()) return owners;
    if (list.front() != ',') break;
    list.remove_prefix(1);
  }
  throw UsageError(fmt::format("{}: {}: owners are all, host, or numbers of tasks with commas between them",
                               parameters_variable, parameter));
}

Options options_from(const Parameters& parameters) {
  Options options;
  options.block_bytes = value_of(parameters, "block", options.block_bytes);
  if (options.block_bytes % 4096 != 0)
    throw UsageError("a block of the file cache is whole pages: a multiple of 4096");
  // The usual size is none where it would not hold a block.
  const std::size_t usual_data_bytes = options.data_bytes < options.block_bytes ? 0 : options.data_bytes;
  options.data_bytes = value_of(parameters, "data", usual_data_bytes);
  options.disk_bytes = value_of(parameters, "disk", options.disk_bytes);
  options.batch_bytes = value_of(parameters, "batch", options.batch_bytes);
  options.owners = value_of(parameters, "owners", 0) == 0 ? Owners::all : Owners::one_per_host;
  options.eviction = value_of(parameters, "evict", 0) == 0 ? Eviction::least_recent : Eviction::first_in;
  options.durable = value_of(parameters, "sync", 1) != 0;
  options.share_memory = value_of(parameters, "share", 1) != 0;
  options.prefetch = value_of(parameters, "prefetch", 1) != 0;
  options.hand_on = value_of(parameters, "handon", 1) != 0;
  options.straight_bytes = value_of(parameters, "straight", options.straight_bytes);
  options.thread = value_of(parameters, "thread", 0) != 0;
  return options;
}

}  // namespace

std::span<const ParameterRow> parameter_rows() { return rows; }

Settings parse_settings(std::string_view text) {
  const std::string order = "edonio:" + std::string(text);
  OrderEntry entry = split_order(order)[0];
  std::vector<int> owners;
  std::erase_if(entry.parameters, [&](std::string_view parameter) {
    const auto list = owner_list_of(parameter);
    if (list.has_value()) owners = *list;
    return list.has_value();
  });
  Parameters parameters;
  for (const std::string_view parameter : entry.parameters) {
    parse_parameter(parameter, parameters_variable, rows, parameters);
  }
  Settings settings{options_from(parameters)};
  if (!owners.empty()) {
    settings.options.owners = Owners::listed;
    settings.options.owner_list = std::move(owners);
  }
  if (value_of(parameters, "direct", 0) != 0) settings.caching = Caching::direct;
  return settings;
}

/// How it begins. The others wait for a task whose parameters are wrong: it comes, and says so.
struct Session::Start {
  Settings settings;
  std::optional<FileError> trouble{};

  static Start of_environment() {
    Start start;
    const char* text = std::getenv(parameters_variable);
    if (text == nullptr || *text == '\0') return start;
    try {
      start.settings = parse_settings(text);
      const Options& options = start.settings.options;
      check_cache_sizes(options.data_bytes, options.disk_bytes, options.block_bytes);
    } catch (const UsageError& error) {
      start.trouble.emplace(EINVAL, error.what());
    } catch (const FileError& error) {
      start.trouble.emplace(error.code(), fmt::format("{}: {}", parameters_variable, error.what()));
    }
    return start;
  }
};

Session::Session() : line_(std::make_unique<LoneLine>()) { begin(Start::of_environment()); }

Session::Session(Task& task) { begin_with_service(task, Start::of_environment()); }

Session::Session(Task& task, Options options) { begin_with_service(task, {{std::move(options)}}); }

Session::Session(Task& task, service::Service& service)
    : line_(std::make_unique<ServiceLine>(task, service, ServiceLine::Of::program_service)) {
  Start start = Start::of_environment();
  start.settings.options = with_places(std::move(start.settings.options), task);
  begin(std::move(start));
}

Session::~Session() = default;

void Session::begin_with_service(Task& task, Start start) {
  Options& options = start.settings.options;
  service::Service::Options handlers;
  handlers.handlers = options.thread ? service::HandlersIn::own_thread : service::HandlersIn::task;
  service_ = std::make_unique<service::Service>(task, handlers);
  line_ = std::make_unique<ServiceLine>(task, *service_, ServiceLine::Of::own_service);
  options = with_places(std::move(options), task);
  begin(std::move(start));
}

void Session::begin(Start start) {
  try_to(start.trouble, [&] { check_owners(start.settings.options, line_->size()); });
  // The program may go on. While an exception is on its way a service leaves its receives with the message layer.
  const auto let_go = [&] {
    line_.reset();
    service_.reset();
  };
  try {
    disk_ = make_posix_disk(start.settings.caching);
    files_ = std::make_unique<Files>(*line_, *disk_, std::move(start.settings.options), std::move(start.trouble));
  } catch (const FileError&) {
    let_go();
    throw;
  } catch (const RunError&) {  // of the message layer, in which nothing goes on
    line_.reset();
    if (service_) service::Service::abandon(std::move(service_));
    throw;
  } catch (...) {
    let_go();
    throw;
  }
}

}  // namespace nasvm::files
