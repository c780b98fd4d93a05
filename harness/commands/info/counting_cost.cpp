#include "harness/commands/info/counting_cost.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "vm/comm.hpp"

namespace nasvm {
namespace {

/// A message layer that does nothing.
class NullEndpoint final : public Endpoint {
 public:
  explicit NullEndpoint(bool through_memory) : through_memory_(through_memory) {}
  Rank rank() const override { return 0; }
  int size() const override { return 2; }
  void start(Operation& operation) override { operation.complete = true; }
  void progress() override {}
  void wait_any(std::span<Operation* const>) override {}
  bool probe(Rank, Tag, Context, Status&, bool) override { return false; }
  bool cancel(Operation&) override { return false; }
  std::string_view method(Rank) const override { return "null"; }
  bool sends_through_memory(Rank) const override { return through_memory_; }

 private:
  bool through_memory_;
};

constexpr int calls = 20'000;
constexpr int rounds = 20;

template <typename Call>
double seconds_per_call(Call call) {
  double least = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; ++round) {
    const Ticks begin = ticks_now();
    for (int i = 0; i < calls; ++i) call();
    least = std::min(least, to_seconds(ticks_now() - begin) / calls);
  }
  return least;
}

double added_to_send(bool through_memory) {
  NullEndpoint null(through_memory);
  Endpoint& endpoint = null;
  Comm comm(endpoint);
  const std::array<double, 1> data{};
  const double counted = seconds_per_call([&] { comm.send(data, 1); });
  const double bare = seconds_per_call([&] {
    Operation operation;
    operation.peer = 1;
    endpoint.start(operation);
  });
  return std::max(0.0, counted - bare);
}

}  // namespace

CountingCost counting_cost() { return {.timed_s = added_to_send(false), .quick_s = added_to_send(true)}; }

}  // namespace nasvm
