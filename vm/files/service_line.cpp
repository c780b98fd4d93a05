#include "vm/files/service_line.hpp"

#include <utility>

namespace nasvm::files {
namespace {

constexpr std::uint32_t note_handler = 0;

}  // namespace

ServiceLine::ServiceLine(Task& task, service::Service& service) : task_(task), service_(service) {
  for (const Tid sibling : task.siblings()) startpoints_.push_back(service.startpoint(sibling, files_endpoint));
}

void ServiceLine::post(int to, std::vector<std::byte> message) {
  if (is_gone(to)) return;
  startpoints_[static_cast<std::size_t>(to)].request(note_handler, std::move(message));
}

void ServiceLine::listen(Listener listener) {
  listener_ = std::move(listener);
  if (!listener_) return endpoint_.reset();
  if (endpoint_.has_value()) return;
  endpoint_.emplace(service_, files_endpoint);
  endpoint_->on(note_handler, [this](service::Incoming& incoming) {
    listener_(task_.request_carrier().rank_of(incoming.source()), incoming.bytes());
  });
}

}  // namespace nasvm::files
