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

constexpr const char* protocols_in_full[] = {
    "fanout",  "tree",           "tree:arity=4",          "ack", "nak", "nak:fec=on", "ring", "lineartree:height=6",
    "ipmcast", "ack:coalesce=4", "nak:suppress=receivers"};

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
std::string fault_of(const SimulatedNetwork& network, const std::vector<std::byte>& message) {
  if (!network.complaints().empty()) return network.complaints().front();
  for (int node = 1; node <= network.receivers(); ++node) {
    const auto& received = network.received(node);
    if (received.size() != 1 || !received[0].complete) return fmt::format("node {} has not got it", node);
    if (received[0].bytes != message) return fmt::format("node {} has got something else", node);
  }
  return {};
}

std::string outcome(const Case& what) {
  const auto message = pattern(what.bytes, 3);
  SimulatedNetwork network(multicast::parse_protocol(what.protocol), what.receivers, options_of(what));
  if (!network.broadcast(message)) return "not over within an hour";
  const std::string fault = fault_of(network, message);
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
