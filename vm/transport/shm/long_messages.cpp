#include "vm/transport/shm/long_messages.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace nasvm::shm {
namespace {

/// Shorter messages go through the ring, which costs less than a system call and the answer to it. Where tasks share
/// cores, a message that does not fit into the ring at once costs changes of processes besides.
constexpr std::size_t usual_announcement = 128 * 1024;
constexpr std::size_t usual_announcement_in_crowd = 64 * 1024;

/// What is not faster by this much is not told from chance.
constexpr double clearly = 1.1;

/// Shorter pieces are read before they would have reached memory. Measured: docs/transports/shm.md, "Past the cache".
constexpr std::size_t shortest_stream = 8 * 1024;

double through_ring(const CopyRate& rate) { return std::max({rate.small_ring, rate.large_ring, rate.streamed}); }

bool fetching_wins(const CopyRate& rate) {
  return through_ring(rate) > 0 && rate.fetched > clearly * through_ring(rate);
}

bool small_ring_wins(const CopyRate& rate) {
  return rate.large_ring > 0 && rate.small_ring > clearly * rate.large_ring;
}

/// At every length that is known.
bool streaming_wins(const CopyRates& rates) {
  bool known = false;
  for (const CopyRate& rate : rates) {
    if (rate.large_ring <= 0 || rate.streamed <= 0) continue;
    if (rate.streamed <= clearly * std::max(rate.small_ring, rate.large_ring)) return false;
    known = true;
  }
  return known;
}

}  // namespace

LongMessageChoice choose_long_messages(const CopyRates& rates, Cores cores) {
  const bool streams = streaming_wins(rates);
  const bool small = !streams && !rates.empty() && std::ranges::all_of(rates, small_ring_wins);
  LongMessageChoice choice{.announce_from = cores == Cores::own ? usual_announcement : usual_announcement_in_crowd,
                           .stream_from = streams ? shortest_stream : LongMessageChoice::never,
                           .ring_bytes = small ? small_ring_bytes : large_ring_bytes};
  // From the first length on from which fetching wins at all others, too.
  for (auto rate = rates.rbegin(); rate != rates.rend() && fetching_wins(*rate); ++rate) {
    choice.fetch_from = rate->bytes;
  }
  choice.announce_from = std::min(choice.announce_from, choice.fetch_from);
  // Nobody stands by on a core that others share.
  if (cores == Cores::shared) choice.fetch_from = choice.announce_from;
  return choice;
}

std::string describe(const LongMessageChoice& choice, const CopyRates& rates) {
  const auto kib = [](std::size_t bytes) { return fmt::format("{} KiB", bytes / 1024); };
  const bool for_receiver = choice.announce_from < choice.fetch_from;
  std::string text = fmt::format("{} rings; messages from {} on are fetched{}", kib(choice.ring_bytes),
                                 kib(choice.announce_from), for_receiver ? " unless their sender stands by" : "");
  if (!for_receiver) {
    text += ", whatever their sender does";
  } else if (choice.fetch_from != LongMessageChoice::never) {
    text += fmt::format(", from {} on always", kib(choice.fetch_from));
  }
  if (choice.stream_from != LongMessageChoice::never) {
    text += fmt::format("; from {} on written past the cache", kib(choice.stream_from));
  }
  bool measured = false;
  for (const CopyRate& rate : rates) {
    if (rate.small_ring <= 0 || rate.large_ring <= 0 || rate.fetched <= 0) continue;
    text +=
        fmt::format("; {}: {:.1f} and {:.1f} GB/s through rings of {} and {}, {:.1f} past the cache, {:.1f} fetched",
                    kib(rate.bytes), rate.small_ring, rate.large_ring, small_ring_bytes / 1024, kib(large_ring_bytes),
                    rate.streamed, rate.fetched);
    measured = true;
  }
  return measured ? text : text + "; not measured";
}

}  // namespace nasvm::shm
