#include "harness/commands/p2p/service/measure.hpp"

#include <algorithm>
#include <atomic>

#include "harness/measuring/pace.hpp"
#include "harness/statistics.hpp"
#include "vm/metrics/clock.hpp"
#include "vm/service/service.hpp"

namespace nasvm {
namespace {

constexpr std::uint32_t number_of_endpoint = 1;
constexpr std::int64_t least_round_trips = 16;
constexpr std::int64_t most_round_trips = 1 << 18;

/// How data is bounced.
enum class Way : std::int64_t { stop, message, request, sealed };

/// One of the two tasks.
class Player {
 public:
  Player(Task& task, service::HandlersIn handlers, std::uint64_t most_bytes)
      : comm_(task.comm()),
        handlers_(handlers),
        buffer_(most_bytes),
        service_(task, {.handlers = handlers}),
        endpoint_(service_, number_of_endpoint, {{1, [this](service::Incoming& request) { bounce(request); }}}),
        open_(service_.startpoint(task.siblings()[static_cast<std::size_t>(peer())], number_of_endpoint)),
        sealed_(open_) {
    sealed_.protect(service::Protection::sealed);
  }

  [[nodiscard]] std::string_view method() const { return open_.method(); }

  /// Rank 0: so many round trips; returns the seconds each took.
  std::vector<double> lead(Way way, std::uint64_t bytes, std::int64_t round_trips) {
    tell(way, bytes, round_trips);
    const auto data = std::span<const std::byte>(buffer_).first(bytes);
    service::Startpoint& startpoint = way == Way::sealed ? sealed_ : open_;
    std::vector<double> seconds;
    seconds.reserve(static_cast<std::size_t>(round_trips));
    for (std::int64_t i = 0; i < round_trips; ++i) {
      const Ticks begin = ticks_now();
      if (way == Way::message) {
        comm_.send(data, peer());
        comm_.recv(buffer_, peer());
      } else {
        startpoint.request(1, data);
        service_.serve_until([&] { return bounced_ > i; });
      }
      seconds.push_back(to_seconds(ticks_now() - begin));
    }
    return seconds;
  }
  void stop() { tell(Way::stop, 0, 0); }

  /// Rank 1, until it is told to stop.
  void follow() {
    for (;;) {
      std::array<std::int64_t, 3> order{};
      comm_.broadcast(order);
      const auto way = static_cast<Way>(order[0]);
      if (way == Way::stop) return;
      answers_ = way == Way::sealed ? &sealed_ : &open_;
      bounced_ = 0;
      comm_.barrier();
      if (way == Way::message) {
        follow_messages(order[2]);
      } else if (handlers_ == service::HandlersIn::task) {
        service_.serve_until([&] { return bounced_ == order[2]; });
      } else {
        // The task's own thread does something else: it sleeps.
        for (auto seen = bounced_.load(); seen != order[2]; seen = bounced_.load()) bounced_.wait(seen);
      }
    }
  }

 private:
  [[nodiscard]] Rank peer() const { return 1 - comm_.rank(); }

  void tell(Way way, std::uint64_t bytes, std::int64_t round_trips) {
    std::array<std::int64_t, 3> order{static_cast<std::int64_t>(way), static_cast<std::int64_t>(bytes), round_trips};
    comm_.broadcast(order);
    bounced_ = 0;
    if (way != Way::stop) comm_.barrier();
  }

  void follow_messages(std::int64_t round_trips) {
    for (std::int64_t i = 0; i < round_trips; ++i) {
      const Status ball = comm_.recv(buffer_, peer());
      comm_.send(std::span<const std::byte>(buffer_).first(ball.bytes), peer());
    }
  }

  void bounce(service::Incoming& request) {
    if (comm_.rank() == 1) answers_->request(1, request.bytes());
    if (handlers_ == service::HandlersIn::own_thread) {
      ++bounced_;
      bounced_.notify_all();
    } else {
      bounced_.store(bounced_.load(std::memory_order_relaxed) + 1,
                     std::memory_order_relaxed);  // of this thread alone
    }
  }

  Comm& comm_;
  service::HandlersIn handlers_;
  std::vector<std::byte> buffer_;
  std::atomic<std::int64_t> bounced_ = 0;
  service::Service service_;
  service::Endpoint endpoint_;
  service::Startpoint open_, sealed_;
  service::Startpoint* answers_ = &open_;
};

double total(const std::vector<double>& seconds) {
  double sum = 0;
  for (const double each : seconds) sum += each;
  return sum;
}

double one_way_us(std::vector<double> round_trips_s) { return median(std::move(round_trips_s)) * 1e6 / 2; }

std::int64_t round_trips_of(Player& player, const Effort& effort, Way way, std::uint64_t bytes) {
  const BatchLimits limits{.first = least_round_trips, .least = least_round_trips, .most = most_round_trips};
  return pace(effort, limits, [&](std::int64_t count) { return total(player.lead(way, bytes, count)); });
}

/// Messages and requests in the order A B C C B A, so that what the machine does meanwhile hits all alike.
ServiceRecord measure_size(Player& player, const Effort& effort, std::uint64_t bytes) {
  ServiceRecord record;
  record.bytes = bytes;
  record.iterations = round_trips_of(player, effort, Way::request, bytes);
  std::array<std::vector<double>, 3> samples;
  for (const std::size_t way : {0, 1, 2, 2, 1, 0}) {
    const auto more = player.lead(static_cast<Way>(way + 1), bytes, (record.iterations + 1) / 2);
    samples[way].insert(samples[way].end(), more.begin(), more.end());
  }
  record.message_us = one_way_us(samples[0]);
  record.request_us = one_way_us(samples[1]);
  record.sealed_us = one_way_us(samples[2]);
  return record;
}

}  // namespace

std::vector<ServiceRecord> measure_requests(Task& task, const Effort& effort, std::span<const std::uint64_t> sizes) {
  const std::uint64_t most_bytes = *std::ranges::max_element(sizes);
  std::vector<ServiceRecord> records;
  // `handlers`: of rank 1, which does what it is asked for.
  const auto play = [&](service::HandlersIn handlers, auto lead) {
    Player player(task, task.comm().rank() == 1 ? handlers : service::HandlersIn::task, most_bytes);
    if (task.comm().rank() != 0) return player.follow();
    lead(player);
    player.stop();
  };
  play(service::HandlersIn::task, [&](Player& player) {
    for (const std::uint64_t bytes : sizes) {
      records.push_back(measure_size(player, effort, bytes));
      records.back().method = player.method();
    }
  });
  task.comm().barrier();
  // Last: from then on every call of the message layer takes a turn.
  play(service::HandlersIn::own_thread, [&](Player& player) {
    for (ServiceRecord& record : records) {
      const std::int64_t round_trips = round_trips_of(player, effort, Way::request, record.bytes);
      record.thread_us = one_way_us(player.lead(Way::request, record.bytes, round_trips));
    }
  });
  task.comm().barrier();
  return records;
}

}  // namespace nasvm
