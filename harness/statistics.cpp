#include "harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

namespace nasvm {
namespace {

constexpr int bootstrap_resamples = 2000;
constexpr std::uint64_t bootstrap_seed = 271828183;
constexpr std::size_t largest_exact_product = 10000;
constexpr std::size_t largest_exact_signed_ranks = 40;
constexpr std::size_t least_for_outliers = 5;
constexpr double outlier_score = 3.5;
constexpr double mad_to_sigma = 1.4826;

std::vector<double> sorted(std::span<const double> sample) {
  if (sample.empty()) throw std::invalid_argument("statistics of an empty sample");
  std::vector<double> values(sample.begin(), sample.end());
  std::sort(values.begin(), values.end());
  return values;
}

double quantile_of_sorted(const std::vector<double>& values, double p) {
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

double median_absolute_deviation(std::span<const double> sample, double middle) {
  std::vector<double> distances(sample.begin(), sample.end());
  for (double& value : distances) value = std::abs(value - middle);
  return median(distances);
}

double resampled_median(std::span<const double> sample, std::mt19937_64& random, std::vector<double>& draw) {
  draw.resize(sample.size());
  for (double& value : draw) value = sample[random() % sample.size()];
  std::sort(draw.begin(), draw.end());
  return quantile_of_sorted(draw, 0.5);
}

/// Number of arrangements of n + m ranks with each value of U, by the recursion of Mann and Whitney ("On a Test of
/// Whether one of Two Random Variables is Stochastically Larger than the Other", section 3).
std::vector<double> arrangements(std::size_t n, std::size_t m) {
  // rows[j] holds the counts for (i, j); for each i they are made from those of (i - 1, j) and (i, j - 1).
  std::vector<std::vector<double>> rows(m + 1, std::vector<double>{1.0});
  for (std::size_t i = 1; i <= n; ++i) {
    rows[0] = {1.0};
    for (std::size_t j = 1; j <= m; ++j) {
      std::vector<double> counts(i * j + 1, 0.0);
      const std::vector<double>& fewer_first = rows[j];
      const std::vector<double>& fewer_second = rows[j - 1];
      for (std::size_t u = 0; u < fewer_first.size(); ++u) counts[u + j] += fewer_first[u];
      for (std::size_t u = 0; u < fewer_second.size(); ++u) counts[u] += fewer_second[u];
      rows[j] = std::move(counts);
    }
  }
  return rows[m];
}

double normal_probability(double n, double m, double u) {
  const double mean = n * m / 2;
  const double sigma = std::sqrt(n * m * (n + m + 1) / 12);
  return 0.5 * std::erfc((mean - u - 0.5) / (sigma * std::sqrt(2.0)));
}

/// How many of the smallest quotients may be left out with no more than this risk.
std::size_t quotients_to_skip(const std::vector<double>& cumulative, double risk) {
  const auto first_above = std::upper_bound(cumulative.begin(), cumulative.end(), risk * (1 + 1e-12));
  return static_cast<std::size_t>(first_above - cumulative.begin());
}

/// P(U <= u) for u = 0 .. n * m.
std::vector<double> cumulative_probabilities(std::size_t n, std::size_t m) {
  if (n * m > largest_exact_product) {
    std::vector<double> cumulative(n * m + 1);
    for (std::size_t u = 0; u < cumulative.size(); ++u) {
      cumulative[u] = normal_probability(static_cast<double>(n), static_cast<double>(m), static_cast<double>(u));
    }
    return cumulative;
  }
  std::vector<double> cumulative = arrangements(n, m);
  const double all = std::accumulate(cumulative.begin(), cumulative.end(), 0.0);
  std::partial_sum(cumulative.begin(), cumulative.end(), cumulative.begin());
  for (double& value : cumulative) value /= all;
  return cumulative;
}

/// P(W >= w) for every w of n differences. Chances of a sum of the ranks 1 to n, each of which counts or not by a
/// fair coin; they are made rank by rank.
class SignedRankTail {
 public:
  explicit SignedRankTail(std::size_t n) : n_(static_cast<double>(n)) {
    if (n > largest_exact_signed_ranks) return;
    std::vector<double> chances{1.0};
    for (std::size_t rank = 1; rank <= n; ++rank) {
      std::vector<double> next(chances.size() + rank, 0.0);
      for (std::size_t sum = 0; sum < chances.size(); ++sum) {
        next[sum] += chances[sum] / 2;
        next[sum + rank] += chances[sum] / 2;
      }
      chances = std::move(next);
    }
    std::partial_sum(chances.rbegin(), chances.rend(), chances.rbegin());
    tail_ = std::move(chances);
  }

  double operator()(std::size_t w) const {
    if (w == 0) return 1;
    if (!tail_.empty()) return w < tail_.size() ? tail_[w] : 0;
    const double mean = n_ * (n_ + 1) / 4;
    const double deviation = std::sqrt(n_ * (n_ + 1) * (2 * n_ + 1) / 24);
    return std::erfc((static_cast<double>(w) - 0.5 - mean) / (deviation * std::sqrt(2.0))) / 2;
  }

  /// How many of the averages at one end may lie beyond a bound of that risk; -1: not even that of the outermost.
  [[nodiscard]] std::ptrdiff_t beyond(std::size_t averages, double risk) const {
    std::size_t beyond = 0;
    while (beyond < averages && (*this)(averages - beyond) <= risk) ++beyond;
    return static_cast<std::ptrdiff_t>(beyond) - 1;
  }

 private:
  double n_;
  std::vector<double> tail_;  ///< empty: too many for it
};

}  // namespace

double median(std::span<const double> sample) { return quantile_of_sorted(sorted(sample), 0.5); }

double quantile(std::span<const double> sample, double p) { return quantile_of_sorted(sorted(sample), p); }

Summary summarize(std::span<const double> sample) {
  const std::vector<double> values = sorted(sample);
  const auto count = static_cast<double>(values.size());
  Summary summary;
  summary.count = values.size();
  summary.median = quantile_of_sorted(values, 0.5);
  summary.min = values.front();
  summary.max = values.back();
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.stddev = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  summary.mad = median_absolute_deviation(values, summary.median);
  return summary;
}

std::vector<std::size_t> outliers(std::span<const double> sample) {
  std::vector<std::size_t> found;
  if (sample.size() < least_for_outliers) return found;
  const double middle = median(sample);
  const double sigma = mad_to_sigma * median_absolute_deviation(sample, middle);
  if (sigma == 0) return found;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (std::abs(sample[i] - middle) > outlier_score * sigma) found.push_back(i);
  }
  return found;
}

Interval ratio_of_medians(std::span<const double> a, std::span<const double> b, double confidence) {
  Interval ratio;
  ratio.estimate = median(a) / median(b);
  std::mt19937_64 random(bootstrap_seed);
  std::vector<double> draw;
  std::vector<double> ratios(bootstrap_resamples);
  for (double& value : ratios) {
    const double top = resampled_median(a, random, draw);
    value = top / resampled_median(b, random, draw);
  }
  std::sort(ratios.begin(), ratios.end());
  ratio.low = quantile_of_sorted(ratios, (1 - confidence) / 2);
  ratio.high = quantile_of_sorted(ratios, (1 + confidence) / 2);
  return ratio;
}

double mann_whitney_probability(std::size_t n, std::size_t m, std::size_t u) {
  return u >= n * m ? 1.0 : cumulative_probabilities(n, m)[u];
}

Interval ratio_by_ranks(std::span<const double> a, std::span<const double> b, double low_risk, double high_risk) {
  std::vector<double> quotients;
  for (const double top : a) {
    for (const double bottom : b) quotients.push_back(top / bottom);
  }
  quotients = sorted(quotients);
  const std::vector<double> cumulative = cumulative_probabilities(a.size(), b.size());
  // With P(U <= k - 1) <= risk, the k-th smallest quotient is a lower bound.
  const std::size_t low = quotients_to_skip(cumulative, low_risk);
  const std::size_t high = quotients_to_skip(cumulative, high_risk);
  Interval ratio;
  ratio.estimate = quantile_of_sorted(quotients, 0.5);
  ratio.low = low == 0 ? 0 : quotients[low - 1];
  ratio.high = high == 0 ? std::numeric_limits<double>::infinity() : quotients[quotients.size() - high];
  return ratio;
}

std::size_t signed_rank_statistic(std::span<const double> differences) {
  const std::vector<double> values = sorted(differences);
  // For each value from below, those from it up whose average with it is above 0 begin at `other`, which only sinks.
  std::size_t count = 0;
  std::size_t other = values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    while (other > 0 && values[i] + values[other - 1] > 0) --other;
    count += values.size() - std::max(i, other);
  }
  return count;
}

double signed_rank_probability(std::size_t n, std::size_t w) { return SignedRankTail(n)(w); }

Interval middle_by_signed_ranks(std::span<const double> differences, double low_risk, double high_risk) {
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) averages.push_back((differences[i] + differences[j]) / 2);
  }
  averages = sorted(averages);
  const SignedRankTail tail(differences.size());
  const std::ptrdiff_t low = tail.beyond(averages.size(), low_risk);
  const std::ptrdiff_t high = tail.beyond(averages.size(), high_risk);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Interval interval{quantile_of_sorted(averages, 0.5), -infinite, infinite};
  if (low >= 0) interval.low = averages[static_cast<std::size_t>(low)];
  if (high >= 0) interval.high = averages[averages.size() - 1 - static_cast<std::size_t>(high)];
  return interval;
}

std::vector<bool> holm(std::span<const double> probabilities, double risk) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return probabilities[i]; });
  std::vector<bool> rejected(probabilities.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (probabilities[order[i]] > risk / static_cast<double>(order.size() - i)) break;
    rejected[order[i]] = true;
  }
  return rejected;
}

}  // namespace nasvm
