#pragma once
/// \file
/// The file cache's messages as remote service requests (vm/service/): they are heard whenever the task is in the
/// message layer; at any time where the service has a thread for handlers.

#include <mutex>
#include <optional>
#include <thread>

#include "vm/files/line.hpp"
#include "vm/service/service.hpp"
#include "vm/task.hpp"

namespace nasvm::files {

/// The endpoint that has the file cache in every task.
inline constexpr std::uint32_t files_endpoint = 700;

class ServiceLine final : public Line {
 public:
  /// Whether the service goes on without it, and answers then that there is no such endpoint.
  enum class Of : std::uint8_t { own_service, program_service };
  /// Task and service outlive it.
  ServiceLine(Task& task, service::Service& service, Of of);

  [[nodiscard]] int rank() const override { return task_.comm().rank(); }
  [[nodiscard]] int size() const override { return task_.comm().size(); }
  void post(int to, std::vector<std::byte> message) override;
  void progress() override;
  bool wait_until(const std::function<bool()>& done, TimePoint deadline) override;
  /// What came before waits for the first listener.
  void listen(Listener listener) override;
  [[nodiscard]] bool is_gone(int task) const override;
  void forget(int task) override;
  [[nodiscard]] std::uint64_t calls() const override;
  [[nodiscard]] bool ends_silently() const override { return of_ == Of::own_service; }
  [[nodiscard]] bool has_thread() const override { return has_thread_; }
  void lock() override;
  void unlock() override;
  [[nodiscard]] bool is_waiting() const override;

 private:
  class Outside;
  class Turn;

  Task& task_;
  service::Service& service_;
  Of of_;
  bool has_thread_;
  /// Who holds it may take a turn of the message layer; who has a turn never waits for it.
  std::mutex inside_;
  std::thread::id owner_ = std::this_thread::get_id();  ///< the task's thread
  Listener listener_;
  std::optional<service::Endpoint> endpoint_;
  std::vector<service::Startpoint> startpoints_;
  std::vector<bool> forgotten_ = std::vector<bool>(static_cast<std::size_t>(size()));  ///< by task; in a turn
};

}  // namespace nasvm::files
