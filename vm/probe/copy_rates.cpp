#include "vm/probe/copy_rates.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

#include "vm/machine_topology.hpp"
#include "vm/streaming_copy.hpp"

namespace nasvm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<std::size_t, 3> lengths{64 * 1024, 256 * 1024, 1024 * 1024};
/// Of each length and way; the best counts, because others may have a core meanwhile.
constexpr int messages = 6;
/// Of the longest. Between two chips each takes half a millisecond through a ring.
constexpr int messages_of_longest = 3;
/// As transport shm cuts long messages.
constexpr std::size_t pieces_in_ring = 4, pieces_of_message = 8, least_piece = 8 * 1024;

enum class Way { small_ring, large_ring, streamed, fetched };

/// How a message of so many bytes goes through a ring.
struct Cut {
  Cut(Way way, std::size_t bytes)
      : ring(way == Way::small_ring ? small_ring_bytes : large_ring_bytes),
        piece(std::clamp(bytes / pieces_of_message, least_piece, ring / pieces_in_ring)),
        pieces(ring / piece) {}
  [[nodiscard]] std::size_t place_of(std::size_t number) const { return number % pieces * piece; }
  std::size_t ring;
  std::size_t piece;
  std::size_t pieces;  ///< that the ring holds
};

/// Counts up on one core and is looked at on another.
struct alignas(64) Counter {
  std::atomic<std::size_t> value{0};
};

/// A sender and a receiver on two cores, and what they share.
class Probe {
 public:
  Probe(const std::vector<int>& cores, Clock::time_point end) : cores_(cores), end_(end) {}

  CopyRates run() {
    for (const std::size_t bytes : lengths) rates_.push_back({.bytes = bytes});
    std::thread sender([this] { send_all(); });
    receive_all();
    over_ = true;
    sender.join();
    return rates_;
  }

 private:
  /// What is done for each message, by both sides in step.
  template <typename Each>
  void for_each_message(const Each& each) {
    for (CopyRate& rate : rates_) {
      for (int i = 0; i < (rate.bytes == lengths.back() ? messages_of_longest : messages); ++i) {
        each(rate.bytes, Way::small_ring, rate.small_ring);
        each(rate.bytes, Way::large_ring, rate.large_ring);
        each(rate.bytes, Way::streamed, rate.streamed);
        each(rate.bytes, Way::fetched, rate.fetched);
      }
    }
  }

  /// False: the time is over, for this side or the other.
  bool wait_for(const Counter& counter, std::size_t value) {
    for (unsigned looks = 0; counter.value.load(std::memory_order_acquire) < value; ++looks) {
      if (looks % 64 == 0 && (over_ || Clock::now() >= end_)) over_ = true;
      if (over_) return false;
    }
    return true;
  }

  void send_all() {
    (void)bind_to_cores({&cores_[0], 1});
    std::ranges::fill(ring_, std::byte{1});
    prepared_.value.store(1, std::memory_order_release);
    std::size_t sent = 0, rounds = 0;
    for_each_message([&](std::size_t bytes, Way way, double&) {
      // The message before may still be on its way out of the source.
      if (over_ || !wait_for(finished_, rounds)) return;
      std::memset(source_.data(), static_cast<int>(rounds), bytes);
      written_.value.store(++rounds, std::memory_order_release);
      if (!wait_for(asked_, rounds) || way == Way::fetched) return;
      const Cut cut(way, bytes);
      for (std::size_t done = 0; done < bytes; done += cut.piece, ++sent) {
        if (!wait_for(taken_, sent < cut.pieces ? 0 : sent + 1 - cut.pieces)) return;
        const std::size_t piece = std::min(cut.piece, bytes - done);
        if (way == Way::streamed) {
          copy_past_cache(ring_.data() + cut.place_of(sent), source_.data() + done, piece);
        } else {
          std::memcpy(ring_.data() + cut.place_of(sent), source_.data() + done, piece);
        }
        filled_.value.store(sent + 1, std::memory_order_release);
      }
    });
  }

  void receive_all() {
    (void)bind_to_cores({&cores_[1], 1});
    // Rings that are in use have been read here: a first lap over lines that nobody else has is much faster.
    if (wait_for(prepared_, 1)) std::memcpy(target_.data(), ring_.data(), ring_.size());
    std::size_t taken = 0, rounds = 0;
    for_each_message([&](std::size_t bytes, Way way, double& best) {
      if (!wait_for(written_, ++rounds)) return;
      const auto begin = Clock::now();
      asked_.value.store(rounds, std::memory_order_release);
      const bool whole = way == Way::fetched ? fetch(bytes) : take(bytes, Cut(way, bytes), taken);
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      if (whole) best = std::max(best, static_cast<double>(bytes) / seconds / 1e9);
      finished_.value.store(rounds, std::memory_order_release);
    });
  }

  bool take(std::size_t bytes, const Cut& cut, std::size_t& taken) {
    for (std::size_t done = 0; done < bytes; done += cut.piece) {
      if (!wait_for(filled_, taken + 1)) return false;
      std::memcpy(target_.data() + done, ring_.data() + cut.place_of(taken), std::min(cut.piece, bytes - done));
      taken_.value.store(++taken, std::memory_order_release);
    }
    return true;
  }

  bool fetch(std::size_t bytes) {
    const iovec here{target_.data(), bytes};
    const iovec there{source_.data(), bytes};
    return ::process_vm_readv(::getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
  }

  std::vector<int> cores_;
  Clock::time_point end_;
  CopyRates rates_;
  std::vector<std::byte> source_ = std::vector<std::byte>(lengths.back());
  std::vector<std::byte> target_ = std::vector<std::byte>(lengths.back());
  std::vector<std::byte> ring_ = std::vector<std::byte>(large_ring_bytes);
  Counter prepared_;
  Counter written_;  ///< messages
  Counter asked_;
  Counter finished_;
  Counter filled_;  ///< pieces
  Counter taken_;
  std::atomic<bool> over_{false};
};

double next_number(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  double value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + length, value);
  if (error != std::errc() || stop != text.data() + length) value = -1;
  text.remove_prefix(std::min(length + 1, text.size()));
  return value;
}

}  // namespace

CopyRates measure_copy_rates(std::chrono::milliseconds longest) {
  const std::vector<int> cores = usable_core_numbers();
  if (cores.size() < 2) return {};
  CopyRates rates;
  try {
    const auto end = Clock::now() + longest;
    // In a thread, which is bound instead of the caller.
    std::thread receiver([&] {
      try {
        rates = Probe(cores, end).run();
      } catch (const std::exception&) {
        rates.clear();
      }
    });
    receiver.join();
  } catch (const std::exception&) {
    return {};
  }
  return rates;
}

std::string to_text(const CopyRates& rates) {
  std::string text;
  for (const CopyRate& rate : rates) {
    std::array<char, 96> entry;
    std::snprintf(entry.data(), entry.size(), "%s%zu/%.3g/%.3g/%.3g/%.3g", text.empty() ? "" : ",", rate.bytes,
                  rate.small_ring, rate.large_ring, rate.fetched, rate.streamed);
    text += entry.data();
  }
  return text;
}

CopyRates copy_rates_of(std::string_view text) {
  CopyRates rates;
  while (!text.empty()) {
    std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    std::array<double, 5> numbers{};
    for (double& number : numbers) number = next_number(entry, '/');
    if (!entry.empty() ||
        std::ranges::any_of(numbers, [](double number) { return !(number >= 0 && number <= 1e12); })) {
      return {};
    }
    rates.push_back({static_cast<std::size_t>(numbers[0]), numbers[1], numbers[2], numbers[3], numbers[4]});
  }
  return rates;
}

CopyRates copy_rates_in_environment() {
  const char* text = std::getenv(copy_rates_variable);
  return text == nullptr ? CopyRates{} : copy_rates_of(text);
}

void put_copy_rates_into_environment(std::chrono::milliseconds longest) {
  if (std::getenv(copy_rates_variable) != nullptr) return;
  CopyRates rates = measure_copy_rates(longest);
  // One core can be away for as long as that.
  if (std::ranges::none_of(rates, &CopyRate::fetched)) rates = measure_copy_rates(longest);
  ::setenv(copy_rates_variable, to_text(rates).c_str(), 0);
}

}  // namespace nasvm
