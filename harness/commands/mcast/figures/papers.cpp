#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/cli/values.hpp"
#include "harness/commands/mcast/figures/figure.hpp"
#include "harness/text.hpp"
#include "vm/parameters.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using Numbers = std::vector<std::uint64_t>;
using Texts = std::vector<std::string>;
using Sweeps = std::vector<FigureSweep>;

constexpr std::string_view lane =
    "Lane, Daniels and Yuan, An Empirical Study of Reliable Multicast Protocols over "
    "Ethernet-Connected Networks";
constexpr std::string_view dunigan = "Dunigan and Hall, PVM and IP Multicast";

constexpr std::uint64_t half_megabyte = 500'000;
constexpr std::uint64_t two_megabytes = 2'000'000;
/// Of a window, from one poll to the next: "about 80% to 90%" is best.
constexpr double poll_share = 0.85;
constexpr std::uint64_t largest_small_message = 4096;

bool is_quick(FigureExtent extent) { return extent == FigureExtent::quick; }
int all_receivers(FigureExtent extent) { return is_quick(extent) ? 8 : 30; }
Numbers either(FigureExtent extent, const Numbers& whole, const Numbers& quick) {
  return is_quick(extent) ? quick : whole;
}
Numbers heights(FigureExtent extent) { return either(extent, {1, 2, 3, 5, 6, 10, 15, 30}, {1, 2, 4, 8}); }

/// Figure 4.
Sweeps ack_windows(FigureExtent extent) {
  Texts protocols;
  for (const auto packet : either(extent, {500, 1472, 8000, 50'000}, {1472, 8000})) {
    for (const auto window : either(extent, {1, 2, 3, 4, 5}, {1, 2, 5})) {
      protocols.push_back(fmt::format("ack:packet={}:window={}:coalesce=1", packet, window));
    }
  }
  return {{protocols, {all_receivers(extent)}, {half_megabyte}}};
}

/// Figure 5.
Sweeps ack_scalability(FigureExtent extent) {
  const std::vector<int> receivers = is_quick(extent) ? std::vector{1, 4, 8} : std::vector{1, 5, 10, 15, 20, 25, 30};
  return {{{"ack:packet=50000:window=5:coalesce=1"},
           receivers,
           either(extent, {1, 256, 1024, 4096, 8192, 65'536, half_megabyte}, {1, 4096, half_megabyte})}};
}

/// Figure 6.
Sweeps nak_buffers(FigureExtent extent) {
  Texts protocols;
  for (const auto packet : either(extent, {500, 1472, 8000, 50'000}, {1472, 8000})) {
    for (const auto buffer :
         either(extent, {50'000, 100'000, 200'000, 300'000, 400'000, 500'000}, {50'000, 400'000})) {
      const auto window = std::max<std::uint64_t>(1, buffer / packet);
      const auto poll =
          std::max<std::uint64_t>(1, static_cast<std::uint64_t>(poll_share * static_cast<double>(window)));
      protocols.push_back(fmt::format("nak:packet={}:window={}:poll={}", packet, window, poll));
    }
  }
  return {{protocols, {all_receivers(extent)}, {half_megabyte}}};
}

/// Figure 7.
Sweeps ring_packets(FigureExtent extent) {
  Texts protocols;
  for (const auto packet : either(extent, {1000, 1472, 2000, 5000, 8000, 10'000, 20'000, 50'000}, {1472, 8000})) {
    protocols.push_back(fmt::format("ring:packet={}:window=35", packet));
  }
  return {{protocols, {all_receivers(extent)}, {two_megabytes}}};
}

/// Figure 8.
Sweeps ring_windows(FigureExtent extent) {
  Texts protocols;
  for (const auto packet : either(extent, {1472, 8000, 20'000}, {1472, 8000})) {
    for (const auto window : either(extent, {31, 35, 40, 50, 60, 80, 100}, {9, 20})) {
      protocols.push_back(fmt::format("ring:packet={}:window={}", packet, window));
    }
  }
  return {{protocols, {all_receivers(extent)}, {two_megabytes}}};
}

/// Figure 9.
Sweeps tree_heights(FigureExtent extent) {
  Texts protocols;
  for (const auto packet : {8000, 50'000}) {
    for (const auto height : heights(extent)) {
      protocols.push_back(fmt::format("lineartree:packet={}:window=20:height={}:coalesce=1", packet, height));
    }
  }
  return {{protocols, {all_receivers(extent)}, {half_megabyte}}};
}

/// Figure 10.
Sweeps tree_windows(FigureExtent extent) {
  Texts protocols;
  for (const auto height : either(extent, {1, 6, 15, 30}, {1, 8})) {
    for (const auto window : either(extent, {1, 2, 4, 6, 8, 10, 15, 20}, {2, 20})) {
      protocols.push_back(fmt::format("lineartree:packet=8000:window={}:height={}:coalesce=1", window, height));
    }
  }
  return {{protocols, {all_receivers(extent)}, {half_megabyte}}};
}

/// Figure 11.
Sweeps tree_small_messages(FigureExtent extent) {
  Texts protocols;
  for (const auto height : either(extent, {1, 2, 3, 6, 15, 30}, {1, 8})) {
    protocols.push_back(fmt::format("lineartree:packet=50000:window=20:height={}:coalesce=1", height));
  }
  return {{protocols, {all_receivers(extent)}, either(extent, {1, 1024, 2048, 4096, 8192}, {1, 8192})}};
}

constexpr std::array table2_numbers{
    PrintedNumber{"ack:packet=50000:window=5:coalesce=1", "ACK-based", 68.0},
    PrintedNumber{"nak:packet=8000:window=50:poll=43", "NAK-based", 89.7},
    PrintedNumber{"ring:packet=8000:window=50", "Ring-based", 84.6},
    PrintedNumber{"lineartree:packet=8000:window=20:height=6:coalesce=1", "Tree-based (H = 6)", 77.3},
    PrintedNumber{"lineartree:packet=8000:window=20:height=15:coalesce=1", "Tree-based (H = 15)", 81.2},
};

/// Table 2, with the same and with short packets and our own windows behind it, and what the network can give.
Sweeps best_of_each(FigureExtent extent) {
  Texts protocols;
  for (const PrintedNumber& one : table2_numbers) {
    if (!is_quick(extent) || one.protocol.find("height=15") == std::string_view::npos)
      protocols.emplace_back(one.protocol);
  }
  for (const int packet : {8000, 1472}) {
    for (const char* name : {"nak", "ring", "ack"}) protocols.push_back(fmt::format("{}:packet={}", name, packet));
    protocols.push_back(fmt::format("lineartree:packet={}:height=6", packet));
    if (is_quick(extent)) continue;
    protocols.push_back(fmt::format("lineartree:packet={}:height=15", packet));
    for (const char* more : {"ack", "lineartree:height=6", "lineartree:height=15"}) {
      protocols.push_back(fmt::format("{}:packet={}:coalesce=1", more, packet));
    }
  }
  for (const int packet : {50'000, 8000, 1472}) protocols.push_back(fmt::format("raw:packet={}", packet));
  return {{protocols, {all_receivers(extent)}, {two_megabytes}}};
}

/// Figure 3.4 of Dunigan and Hall, with a longer message beside theirs.
Sweeps ipmcast_and_fanout(FigureExtent extent) {
  return {{{"ipmcast", "fanout", "tree"},
           is_quick(extent) ? std::vector{2, 8} : std::vector{2, 4, 6, 8},
           {1024, 65'536}}};
}

double window_of(const McastRecord& record) { return static_cast<double>(parameter_of(record, "window")); }
double height_of(const McastRecord& record) { return static_cast<double>(parameter_of(record, "height")); }
double packet_of(const McastRecord& record) { return static_cast<double>(parameter_of(record, "packet")); }
double receivers_of(const McastRecord& record) { return record.receivers; }
double bytes_of(const McastRecord& record) { return static_cast<double>(record.bytes); }
/// In kB, as the paper's.
double buffer_of(const McastRecord& record) {
  constexpr double bytes_per_kb = 1000;
  return window_of(record) * packet_of(record) / bytes_per_kb;
}

std::string packet_line(const McastRecord& record) { return fmt::format("packets of {} B", packet_of(record)); }
std::string height_line(const McastRecord& record) { return fmt::format("H = {}", height_of(record)); }
std::string bytes_line(const McastRecord& record) { return fmt::format("{} B", record.bytes); }
std::string protocol_line(const McastRecord& record) { return record.label(); }

std::string one_chart(const McastRecord&) { return "time (ms)"; }
std::string small_and_large(const McastRecord& record) {
  return record.bytes <= largest_small_message ? "small messages, time (ms)" : "large messages, time (ms)";
}
std::string chart_of_size(const McastRecord& record) { return fmt::format("{} B, time (ms)", record.bytes); }

constexpr auto logarithmic = Scale::logarithmic;
constexpr auto linear = Scale::linear;

constexpr std::array figures{
    McastFigure{"4", "Figure 4: ACK-based protocols with different packet sizes and window sizes", lane,
                "500 KB. \"The larger the packet size, the better the performance\"; for any packet size the best is "
                "reached with a window of 2.",
                ack_windows, "window (packets)", linear, window_of, packet_line, one_chart},
    McastFigure{
        "5", "Figure 5: scalability of ACK-based protocols", lane,
        "Packets of 50 KB. Small messages: time grows \"almost linearly with the number of receivers\"; large "
        "ones (> 8 KB): \"the acknowledgment overhead is negligible\".",
        ack_scalability, "receivers", linear, receivers_of, bytes_line, small_and_large},
    McastFigure{"6", "Figure 6: NAK-based protocols with polling for different buffer sizes", lane,
                "500 KB. \"Both a small packet size (500B) and a large packet size (50KB) result in poor "
                "performance\"; 8 KB is best. Polls after 80 % to 90 % of the window (here 85 %).",
                nak_buffers, "buffer (kB)", linear, buffer_of, packet_line, one_chart},
    McastFigure{"7", "Figure 7: ring-based protocols with different packet sizes", lane,
                "2 MB, window 35. Best between 5 KB and 10 KB.", ring_packets, "packet (bytes)", logarithmic,
                packet_of, protocol_line, one_chart},
    McastFigure{
        "8", "Figure 8: ring-based protocols with different window sizes", lane,
        "2 MB. The window must be one more than the receivers at least; with packets of 8 KB and many receivers "
        "that is \"typically sufficient\".",
        ring_windows, "window (packets)", linear, window_of, packet_line, one_chart},
    McastFigure{"9", "Figure 9: tree-based protocols for different logical structures", lane,
                "500 KB, window 20. Neither H = 1 nor H = 30 is best: H = 15 with packets of 8 KB, H = 6 with 50 KB.",
                tree_heights, "height", linear, height_of, packet_line, one_chart},
    McastFigure{
        "10", "Figure 10: tree-based protocols for different window sizes", lane,
        "500 KB, packets of 8 KB. The higher the tree, the more buffers it needs: about 10 packets for H = 30, 2 "
        "for H = 1, which is slower than the others with a large window.",
        tree_windows, "window (packets)", linear, window_of, height_line, one_chart},
    McastFigure{
        "11", "Figure 11: tree-based protocols for small messages", lane,
        "Low trees (H < 6) are alike, high ones (H >= 15) much slower: acknowledgements are relayed by users' "
        "programs.",
        tree_small_messages, "message (bytes)", linear, bytes_of, height_line, one_chart},
    McastFigure{"table2", "Table 2: throughput for large messages", lane,
                "2 MB to 30 receivers, the best of each family. NAK-based >= ring-based >= tree-based >= ACK-based.",
                best_of_each, "", linear, nullptr, nullptr, nullptr, table2_numbers},
    McastFigure{
        "3.4", "Figure 3.4: IP multicast against PVM's multicast", dunigan,
        "1024 bytes to 2 to 8 receivers on Ethernet in 1994: pvm_mcast (fan-out) was faster than pvm_ipmcast, "
        "\"on average by 2 to 20 ms\".",
        ipmcast_and_fanout, "receivers", linear, receivers_of, protocol_line, chart_of_size},
};

}  // namespace

std::span<const McastFigure> mcast_figures() { return figures; }

const McastFigure* find_mcast_figure(std::string_view name) {
  const auto found = std::ranges::find(figures, name, &McastFigure::name);
  return found == figures.end() ? nullptr : &*found;
}

std::vector<const McastFigure*> parse_figures(const std::string& list) {
  std::vector<const McastFigure*> chosen;
  if (list == all_figures_name) {
    for (const McastFigure& figure : figures) chosen.push_back(&figure);
    return chosen;
  }
  for (const std::string& name : split(list, ',')) {
    const McastFigure* figure = find_mcast_figure(name);
    if (figure == nullptr) {
      throw UsageError(fmt::format("--figures {}: not known; known are {}, {}", name,
                                   joined(names_of(mcast_figures())), all_figures_name));
    }
    chosen.push_back(figure);
  }
  refuse_repeats("--figures", list, chosen);
  return chosen;
}

std::uint64_t parameter_of(const McastRecord& record, std::string_view name) {
  const std::string text = record.protocol + ":" + record.parameters;
  const OrderEntry entry = split_order(text).front();
  for (const std::string_view part : entry.parameters) {
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos && part.substr(0, equals) == name)
      return parse_count(part.substr(equals + 1));
  }
  return 0;
}

int figure_hosts(FigureExtent extent) { return all_receivers(extent) + 1; }

}  // namespace nasvm
