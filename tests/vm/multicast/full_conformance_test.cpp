// Conformance in full: every protocol with 1 to 30 receivers, messages of 0 B to 64 MB and losses of up to 30 %, in
// virtual time. Takes long, so it is asked for: `vm_tests "[full]"`. It writes a line for each case;
// results/multicast-conformance has them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>

#include "support/packet_recorder.hpp"
#include "support/simulated_network.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

constexpr const char* protocols_in_full[] = {"fanout",
                                             "tree",
                                             "tree:arity=4",
                                             "ack",
                                             "nak",
                                             "nak:fec=on",
                                             "ring",
                                             "lineartree:height=6",
                                             "ipmcast",
                                             "ack:coalesce=4",
                                             "lineartree:height=6:coalesce=4",
                                             "nak:suppress=receivers"};

struct Case {
  const char* protocol;
  int receivers;
  std::size_t bytes;
  double loss;
};

SimulatedNetwork::Options options_of(const Case& what) {
  SimulatedNetwork::Options options;
  options.packet_bytes = what.bytes > 1'000'000 ? 8192 : 1440;
  options.link_bytes_per_second = 125e6;
  options.path.loss = what.loss;
  options.path.duplication = what.loss / 10;
  options.path.reordering = what.loss / 10;
  options.shared_loss = what.loss / 2;
  return options;
}

/// Nothing; or what is wrong.
std::string fault_of(const SimulatedNetwork& network, std::span<const std::vector<std::byte>> messages) {
  if (!network.complaints().empty()) return network.complaints().front();
  for (int node = 1; node <= network.receivers(); ++node) {
    const auto& received = network.received(node);
    if (received.size() != messages.size()) return fmt::format("node {} has not got all", node);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (!received[i].complete) return fmt::format("node {} has not got message {}", node, i);
      if (received[i].bytes != messages[i]) return fmt::format("node {} has got something else", node);
    }
  }
  return {};
}

std::string outcome(const Case& what) {
  const auto message = pattern(what.bytes, 3);
  SimulatedNetwork network(multicast::parse_protocol(what.protocol), what.receivers, options_of(what));
  if (!network.broadcast(message)) return "not over within an hour";
  const std::string fault = fault_of(network, std::span(&message, 1));
  if (!fault.empty()) return fault;
  const std::chrono::duration<double> took(network.now() - multicast::TimePoint{});
  const multicast::Counts& counts = network.sender().counts();
  std::fprintf(stdout, "%-24s %2d receivers %9zu B %3.0f %% loss: right, %7.3f s, %llu packets, %llu again\n",
               what.protocol, what.receivers, what.bytes, 100 * what.loss, took.count(),
               static_cast<unsigned long long>(counts.data_packets),
               static_cast<unsigned long long>(counts.retransmitted));
  std::fflush(stdout);
  return "right";
}

/// Protocols over links are promised a network without trouble.
bool is_promised(const Case& what) {
  return what.loss == 0 || multicast::parse_protocol(what.protocol).row->carrier == multicast::Carrier::datagrams;
}

/// Each of them sends three messages, from a host of its own, to all others.
std::string outcome_at_once(const Case& what, std::size_t senders) {
  std::vector<multicast::TimePoint> ways_out(static_cast<std::size_t>(what.receivers) + 1);
  std::vector<std::unique_ptr<SimulatedNetwork>> groups;
  std::vector<std::vector<std::vector<std::byte>>> messages;
  for (std::size_t i = 0; i < senders; ++i) {
    SimulatedNetwork::Options options = options_of(what);
    options.path.seed += i;
    options.ways_out = &ways_out;
    options.first_host = i;
    groups.push_back(
        std::make_unique<SimulatedNetwork>(multicast::parse_protocol(what.protocol), what.receivers, options));
    messages.push_back({pattern(what.bytes, i), pattern(1, i), pattern(what.bytes / 3, i + 1)});
  }
  if (!broadcast_at_once(groups, messages)) return "not over within an hour";
  std::chrono::duration<double> took{};
  for (std::size_t i = 0; i < senders; ++i) {
    const std::string fault = fault_of(*groups[i], messages[i]);
    if (!fault.empty()) return fault;
    took = std::max<std::chrono::duration<double>>(took, groups[i]->now() - multicast::TimePoint{});
  }
  std::fprintf(stdout, "%-24s %2d receivers %9zu B %3.0f %% loss: right, %7.3f s, %zu senders at once\n",
               what.protocol, what.receivers, what.bytes, 100 * what.loss, took.count(), senders);
  std::fflush(stdout);
  return "right";
}

void check_all(std::initializer_list<std::size_t> lengths) {
  for (const std::size_t bytes : lengths) {
    for (const int receivers : {1, 2, 7, 30}) {
      for (const double loss : {0.0, 0.01, 0.1, 0.3}) {
        for (const char* protocol : protocols_in_full) {
          const Case what{protocol, receivers, bytes, loss};
          if (!is_promised(what)) continue;
          CAPTURE(protocol, receivers, bytes, loss);
          CHECK(outcome(what) == "right");
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("every multicast protocol brings every byte, in full", "[.full]") {
  check_all({0, 1, 1440, 1441, 100'000, 2'000'000});
}

TEST_CASE("every multicast protocol brings every byte of 64 MiB, in full", "[.full][longest]") {
  check_all({std::size_t{64} << 20});
}

TEST_CASE("several senders at once by every multicast protocol, in full", "[.full][senders]") {
  for (const int receivers : {1, 2, 7, 30}) {
    for (const std::size_t senders : {std::size_t{2}, std::size_t{4}, std::size_t{8}}) {
      if (senders > static_cast<std::size_t>(receivers) + 1) continue;
      for (const double loss : {0.0, 0.01, 0.1, 0.3}) {
        for (const char* protocol : protocols_in_full) {
          const Case what{protocol, receivers, receivers == 30 ? std::size_t{300'000} : std::size_t{2'000'000}, loss};
          if (!is_promised(what)) continue;
          CAPTURE(protocol, receivers, senders, loss);
          CHECK(outcome_at_once(what, senders) == "right");
        }
      }
    }
  }
}
