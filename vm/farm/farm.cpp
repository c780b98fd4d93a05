#include "vm/farm/farm.hpp"

#include <algorithm>

#include "vm/farm/messages.hpp"
#include "vm/farm/task_crew.hpp"

namespace nasvm::farm {
namespace {

double now_s() { return to_seconds(ticks_now()); }

/// A worker's side: what it hears of the leader, and what that costs.
class Service {
 public:
  explicit Service(Task& task) : task_(task) { part_.communication.peers.resize(1); }

  Part serve(const std::function<Row(const Units&)>& compute) {
    const double begin_s = now_s();
    for (;;) {
      Task::Received heard = next();
      if (heard.tag == stop_tag) {
        part_.time_s = std::min(now_s() - begin_s, unpack_stop(heard.message));
        return part_;
      }
      part_.communication.peers[0].bytes_received += heard.message.bytes().size();
      ++part_.communication.peers[0].messages_received;
      const Piece piece = unpack_piece(heard.message);
      const double from_s = now_s();
      Row row = compute(piece.units);
      answer({piece.id, now_s() - from_s, std::move(row)});
    }
  }

 private:
  Task::Received next() {
    Counters& counters = part_.communication;
    const Ticks begin = ticks_now();
    auto received = task_.nrecv(task_.parent());
    const Ticks idle_from = ticks_now();
    if (!received) {
      received = task_.recv(task_.parent());
      counters.idle += ticks_now() - idle_from;
    }
    counters.communication += ticks_now() - begin;
    ++counters.calls;
    return std::move(*received);
  }

  void answer(const Crew::Result& result) {
    Counters& counters = part_.communication;
    const Ticks begin = ticks_now();
    const PackBuffer message = pack_result(result);
    task_.send(task_.parent(), result_tag, message);
    counters.communication += ticks_now() - begin;
    ++counters.calls;
    counters.peers[0].bytes_sent += message.bytes().size();
    ++counters.peers[0].messages_sent;
  }

  Task& task_;
  Part part_;
};

}  // namespace

Harvest lead(Task& task, const Work& work, int workers, const std::string& setup) {
  const double before_s = now_s();
  TaskCrew crew(task, workers, setup);
  const double begin_s = now_s();
  Yield yield = lead(crew, work, now_s);
  const Part own{now_s() - begin_s, crew.communication()};
  crew.dismiss(own.time_s);
  return {.sum = std::move(yield.sum),
          .leader = own,
          .spawn_s = begin_s - before_s,
          .lost = crew.lost(),
          .units_again = yield.units_again};
}

Part serve(Task& task, const std::function<Row(const Units&)>& compute) { return Service(task).serve(compute); }

}  // namespace nasvm::farm
