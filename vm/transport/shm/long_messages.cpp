#include "vm/transport/shm/long_messages.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace nasvm::shm {
namespace {

/// Shorter messages go through the ring, which costs less than a system call and the answer to it. Where tasks share
/// cores, a message that does not fit into the ring at once costs changes of processes besides.
constexpr std::size_t usual_announcement = 128 * 1024;
constexpr std::size_t usual_announcement_in_crowd = 64 * 1024;

/// What is not faster by this much is not told from chance.
constexpr double clearly = 1.1;

double through_ring(const CopyRate& rate) { return std::max(rate.small_ring, rate.large_ring); }

bool fetching_wins(const CopyRate& rate) {
  return through_ring(rate) > 0 && rate.fetched > clearly * through_ring(rate);
}

bool small_ring_wins(const CopyRate& rate) {
  return rate.large_ring > 0 && rate.small_ring > clearly * rate.large_ring;
}

}  // namespace

LongMessageChoice choose_long_messages(const CopyRates& rates, Cores cores) {
  const bool small = !rates.empty() && std::ranges::all_of(rates, small_ring_wins);
  LongMessageChoice choice{cores == Cores::own ? usual_announcement : usual_announcement_in_crowd,
                           LongMessageChoice::never, small ? small_ring_bytes : large_ring_bytes};
  // From the first length on from which fetching wins at all others, too.
  for (auto rate = rates.rbegin(); rate != rates.rend() && fetching_wins(*rate); ++rate) {
    choice.fetch_from = rate->bytes;
  }
  choice.announce_from = std::min(choice.announce_from, choice.fetch_from);
  return choice;
}

std::string describe(const LongMessageChoice& choice, const CopyRates& rates) {
  const auto kib = [](std::size_t bytes) { return std::to_string(bytes / 1024) + " KiB"; };
  std::string text =
      kib(choice.ring_bytes) + " rings; messages from " + kib(choice.announce_from) + " on are fetched";
  if (choice.announce_from < choice.fetch_from) text += " unless their sender stands by";
  if (choice.fetch_from != LongMessageChoice::never) {
    text += choice.announce_from < choice.fetch_from ? ", from " + kib(choice.fetch_from) + " on" : "";
    text += choice.announce_from < choice.fetch_from ? " always" : ", whatever their sender does";
  }
  for (const CopyRate& rate : rates) {
    std::array<char, 120> measured;
    std::snprintf(measured.data(), measured.size(),
                  "; %zu KiB: %.1f and %.1f GB/s through rings of 64 and 256 KiB, %.1f fetched", rate.bytes / 1024,
                  rate.small_ring, rate.large_ring, rate.fetched);
    text += measured.data();
  }
  return rates.empty() ? text + "; not measured" : text;
}

}  // namespace nasvm::shm
