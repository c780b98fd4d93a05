#pragma once
/// \file
/// What `nasvm mcast` measured of one protocol with so many receivers at one message size: one entry of "mcast" in
/// the result document (docs/results.md). Units: bytes, seconds, Mbit/s with 1 Mbit = 10^6 bit.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "harness/conditions/conditions.hpp"
#include "harness/document/records.hpp"
#include "harness/measuring/data_check.hpp"

namespace nasvm {

enum class McastKind : std::uint8_t {
  protocol,
  unreliable,  ///< `raw`: what it has lost is lost
  system,      ///< a message system's broadcast
  copies,      ///< `copies`: nothing is brought to anybody
};

/// Of one message, over all of one run. Not a number: not known.
struct McastTime {
  double median_s = std::numeric_limits<double>::quiet_NaN();
  /// The median lies between these at 95 % (harness/measuring/median_interval.hpp); of too few not known.
  double low_s = median_s;
  double high_s = median_s;
  double mean_s = median_s;
  double min_s = median_s;
  double p99_s = median_s;  ///< of fewer than least_for_p99 (harness/measuring/p99.hpp) not known
};

/// What one message cost on average.
struct McastCost {
  double data_packets = 0;
  double retransmitted = 0;
  double control_packets = 0;  ///< sent by the sender
  double sender_cpu_s = 0;     ///< processor time within the calls
  double receiver_cpu_s = 0;   ///< of one receiver, on average

  bool operator==(const McastCost&) const = default;
};

struct McastRecord {
  static constexpr std::string_view usual_transport = "auto";
  static constexpr int usual_ttl = 1;

  static constexpr std::string_view section = "mcast";
  static constexpr Role role = Role::result;

  std::string protocol;    ///< as asked for: "lineartree:height=6"; of a message system "mpi"
  std::string parameters;  ///< set by options: "packet=8k:window=20"
  McastKind kind = McastKind::protocol;
  std::string chosen;  ///< of `auto`: which way, and why
  std::string figure;  ///< of --figures: which
  int receivers = 1;
  std::uint64_t bytes = 0;
  int repeat = 0;
  std::uint64_t packet_bytes = 0;  ///< payload of one packet, as it was chosen; 0: not known
  std::uint64_t window = 0;        ///< packets on their way at most; 0: no limit, or not known
  bool authenticated = true;
  std::string transport{usual_transport};  ///< of messages between two tasks, where the protocol's packets are such
  int ttl = usual_ttl;                     ///< of the protocol's datagrams
  int unreached = 0;                       ///< receivers that IP multicast did not reach
  std::int64_t iterations = 0;
  McastTime time;  ///< until the sender knows that all have it; of `raw`, where nobody knows, as `last`
  McastTime last;  ///< until the last receiver has it; not known across computers
  McastCost cost;
  std::uint64_t rejected = 0;    ///< packets of strangers
  std::uint64_t incomplete = 0;  ///< of `raw`: receptions that lacked something
  DataCheck data = DataCheck::none;
  Sampled sampled;  ///< when: of its whole run

  [[nodiscard]] double throughput_mbit_s() const { return static_cast<double>(bytes) * 8 / 1e6 / time.median_s; }
  /// Was it brought by messages of pairs, since that was chosen?
  [[nodiscard]] bool went_by_messages() const;
  /// For people: "nak:poll=8 packet=8k window=20".
  [[nodiscard]] std::string label() const;

  bool operator==(const McastRecord& other) const;
};

void describe(Fields& fields, McastRecord& record);
inline bool is_right(const McastRecord& record) { return record.data != DataCheck::failed; }

}  // namespace nasvm
