#pragma once
/// \file
/// A task's file cache with all that it stands on: requests between tasks, and the system's disk. A program has one.

#include <memory>
#include <string_view>

#include "vm/files/files.hpp"
#include "vm/files/posix_disk.hpp"
#include "vm/parameters.hpp"
#include "vm/service/service.hpp"
#include "vm/task.hpp"

namespace nasvm::files {

class Session {
 public:
  /// Of a program that is one process, and no task.
  Session();
  /// Collective over the task's siblings. The task outlives it. What is wrong with one task's parameters all hear of:
  /// FileError with EINVAL.
  explicit Session(Task& task);
  /// The same with other options than those of the environment; `hosts` and `crowded` are filled in.
  Session(Task& task, Options options);
  /// With a service that the program has already.
  Session(Task& task, service::Service& service);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] Files& files() { return *files_; }
  [[nodiscard]] int rank() const { return line_->rank(); }
  [[nodiscard]] int size() const { return line_->size(); }

 private:
  struct Start;
  void begin_with_service(Task& task, Start start);
  void begin(Start start);

  std::unique_ptr<service::Service> service_;
  std::unique_ptr<Line> line_;
  std::unique_ptr<Disk> disk_;
  std::unique_ptr<Files> files_;
};

/// The environment variable with parameters for all sessions of a program: "block=128k:owners=host".
inline constexpr const char* parameters_variable = "NASVM_EDONIO";
std::span<const ParameterRow> parameter_rows();

struct Settings {
  Options options{};
  Caching caching = Caching::page_cache;
};
/// Throws UsageError.
Settings parse_settings(std::string_view text);

}  // namespace nasvm::files
