#include "vm/farm/task_crew.hpp"

#include <algorithm>

#include "vm/farm/messages.hpp"

namespace nasvm::farm {
namespace {

/// For workers to finish their piece, report and leave.
constexpr std::chrono::seconds patience_with_leavers{2};

}  // namespace

TaskCrew::TaskCrew(Task& task, int workers, const std::string& setup) : task_(task) {
  counters_.peers.resize(static_cast<std::size_t>(1 + workers));
  if (workers == 0) return;
  for (const Tid tid : task.spawn({.setup = setup, .count = workers, .notify = gone_tag})) workers_.push_back({tid});
}

void TaskCrew::give(int worker, const Piece& piece) { send(worker, piece_tag, pack_piece(piece)); }

void TaskCrew::send(int worker, Tag tag, const PackBuffer& message) {
  const Worker& to = workers_[static_cast<std::size_t>(worker - 1)];
  if (to.gone) return;
  const Ticks begin = ticks_now();
  task_.send(to.tid, tag, message);
  counters_.communication += ticks_now() - begin;
  ++counters_.calls;
  PeerCounters& peer = counters_.peers[static_cast<std::size_t>(worker)];
  peer.bytes_sent += message.bytes().size();
  ++peer.messages_sent;
}

std::optional<Crew::Heard> TaskCrew::hear(std::chrono::nanoseconds patience) {
  if (workers_.empty()) return {};
  const Ticks begin = ticks_now();
  auto received = task_.nrecv();
  if (!received && patience > patience.zero()) {
    const Ticks idle_from = ticks_now();
    received = task_.trecv(patience);
    counters_.idle += ticks_now() - idle_from;
  }
  counters_.communication += ticks_now() - begin;
  ++counters_.calls;
  if (!received) return {};
  return take(*received);
}

std::optional<Crew::Heard> TaskCrew::take(Task::Received& received) {
  if (received.tag == gone_tag) {
    const Task::Notice notice = Task::read_notice(received);
    const int worker = number_of(notice.gone);
    if (worker == 0) return {};
    workers_[static_cast<std::size_t>(worker - 1)].gone = true;
    lost_ += notice.clean ? 0 : 1;
    return Heard{worker, true};
  }
  const int worker = number_of(received.source);
  if (worker == 0) {
    if (received.tag == result_tag) return {};
    throw RunError("a message of " + to_string(received.source) + ", which is none of the farm's tasks");
  }
  PeerCounters& peer = counters_.peers[static_cast<std::size_t>(worker)];
  peer.bytes_received += received.message.bytes().size();
  ++peer.messages_received;
  return Heard{worker, false, unpack_result(received.message)};
}

/// 0: none of the farm's; what is heard of workers of an earlier farm of this task comes late.
int TaskCrew::number_of(Tid tid) const {
  const auto found = std::ranges::find(workers_, tid, &Worker::tid);
  return found == workers_.end() ? 0 : static_cast<int>(found - workers_.begin()) + 1;
}

void TaskCrew::dismiss(double time_s) {
  for (int worker = 1; worker <= size(); ++worker) send(worker, stop_tag, pack_stop(time_s));
  const auto deadline = std::chrono::steady_clock::now() + patience_with_leavers;
  while (!std::ranges::all_of(workers_, &Worker::gone)) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= left.zero()) break;
    (void)hear(left);
  }
  for (const Worker& worker : workers_) {
    if (worker.gone) continue;
    task_.kill(worker.tid);
    ++lost_;
  }
}

}  // namespace nasvm::farm
