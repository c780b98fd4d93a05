#pragma once
/// \file
/// The file cache's messages as remote service requests (vm/service/): they are heard whenever the task is in the
/// message layer.

#include <optional>

#include "vm/files/line.hpp"
#include "vm/service/service.hpp"
#include "vm/task.hpp"

namespace nasvm::files {

/// The endpoint that has the file cache in every task.
inline constexpr std::uint32_t files_endpoint = 700;

class ServiceLine final : public Line {
 public:
  /// Both outlive it.
  ServiceLine(Task& task, service::Service& service);

  [[nodiscard]] int rank() const override { return task_.comm().rank(); }
  [[nodiscard]] int size() const override { return task_.comm().size(); }
  void post(int to, std::vector<std::byte> message) override;
  void progress() override { service_.progress(); }
  bool wait_until(const std::function<bool()>& done, TimePoint deadline) override {
    return service_.serve_until(done, deadline);
  }
  /// What came before waits for the first listener.
  void listen(Listener listener) override;
  [[nodiscard]] bool is_gone(int task) const override { return task_.request_carrier().is_gone(task); }
  [[nodiscard]] std::uint64_t calls() const override { return task_.comm().counters().calls; }

 private:
  Task& task_;
  service::Service& service_;
  Listener listener_;
  std::optional<service::Endpoint> endpoint_;
  std::vector<service::Startpoint> startpoints_;
};

}  // namespace nasvm::files
