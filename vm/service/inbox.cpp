#include "vm/service/inbox.hpp"

#include <algorithm>

namespace nasvm::service {

Arrived& Inbox::add(std::unique_ptr<Arrived> request) {
  Arrived& added = *request;
  Queue& queue = queues_[key_of(added)];
  queue.push_back(std::move(request));
  if (!added.ready) {
    receiving_.push_back(&added);
  } else if (queue.size() == 1) {
    ready_.push_back(key_of(added));
  }
  return added;
}

void Inbox::look_at_data() {
  for (std::size_t i = 0; i < receiving_.size();) {
    Arrived& request = *receiving_[i];
    if (!request.receive.complete && !request.receive.abandoned) {
      ++i;
      continue;
    }
    receiving_.erase(receiving_.begin() + static_cast<std::ptrdiff_t>(i));
    if (request.receive.abandoned) {
      drop(request);
      continue;
    }
    request.ready = true;
    if (queues_[key_of(request)].front().get() == &request) ready_.push_back(key_of(request));
  }
}

/// Its task has ended. Later ones of that task may still have come whole.
void Inbox::drop(Arrived& request) {
  const Key key = key_of(request);
  Queue& queue = queues_[key];
  const bool was_first = queue.front().get() == &request;
  std::erase_if(queue, [&](const auto& entry) { return entry.get() == &request; });
  if (queue.empty()) {
    queues_.erase(key);
  } else if (was_first && queue.front()->ready) {
    ready_.push_back(key);
  }
}

std::unique_ptr<Arrived> Inbox::take(const MayRun& may_run) {
  while (!ready_.empty()) {
    const Key key = ready_.front();
    ready_.pop_front();
    if (!may_run(key.second)) {
      parked_.insert(key);
      continue;
    }
    Queue& queue = queues_[key];
    std::unique_ptr<Arrived> request = std::move(queue.front());
    queue.pop_front();
    if (queue.empty()) {
      queues_.erase(key);
    } else if (queue.front()->ready) {
      ready_.push_back(key);
    }
    return request;
  }
  return nullptr;
}

void Inbox::release(std::uint32_t endpoint) {
  std::erase_if(parked_, [&](const Key& key) {
    if (key.second == endpoint) ready_.push_back(key);
    return key.second == endpoint;
  });
}

}  // namespace nasvm::service
