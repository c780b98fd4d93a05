#pragma once
/// \file
/// What several measurements of one thing say: middle, spread, outliers, and ratios with their uncertainty.
/// Samples need no order and are never changed; an empty sample is a programmer's mistake (std::invalid_argument).

#include <cstddef>
#include <span>
#include <vector>

namespace nasvm {

struct Summary {
  std::size_t count = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  double stddev = 0;  ///< of the sample (n - 1); 0 for one measurement
  double mad = 0;     ///< median absolute deviation from the median
};

Summary summarize(std::span<const double> sample);

double median(std::span<const double> sample);

/// The value below which the fraction `p` (0 to 1) of the sample lies, interpolated linearly between neighbours
/// (Hyndman and Fan, "Sample Quantiles in Statistical Packages", definition 7).
double quantile(std::span<const double> sample, double p);

/// Positions of the measurements that lie far outside: modified Z-score above 3.5 (Iglewicz and Hoaglin, "How to
/// Detect and Handle Outliers"). None among fewer than five measurements, or when more than half are equal.
std::vector<std::size_t> outliers(std::span<const double> sample);

/// A ratio and the interval in which it lies with the confidence that was asked for.
struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
};

/// median(a) / median(b) with its percentile bootstrap interval (Efron and Tibshirani, "An Introduction to the
/// Bootstrap", chapter 13). The resampling starts from a fixed seed: equal samples give equal intervals.
/// Samples are positive and finite.
Interval ratio_of_medians(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

/// P(U <= u) of the Mann-Whitney statistic of two samples of sizes n and m from one distribution; exact up to
/// n * m = 10000, normal approximation above.
double mann_whitney_probability(std::size_t n, std::size_t m, std::size_t u);

/// By which factor `a` is larger than `b`, from ranks: the median of all quotients a_i / b_j and bounds that the
/// true factor keeps except with the probabilities `low_risk` and `high_risk` (Hodges and Lehmann; Hollander and
/// Wolfe, "Nonparametric Statistical Methods", section 4.3). Nothing is assumed of the distribution but its
/// shape being alike. A bound that so few measurements cannot give is 0 or infinity. Samples are positive.
Interval ratio_by_ranks(std::span<const double> a, std::span<const double> b, double low_risk, double high_risk);

/// Wilcoxon's signed-rank statistic: how many of the averages of two differences (each with itself, too) are above 0
/// (Tukey's form of it; Hollander and Wolfe, "Nonparametric Statistical Methods", section 3.1).
std::size_t signed_rank_statistic(std::span<const double> differences);

/// P(W >= w) of that statistic of n differences whose signs are fair coins, whatever their sizes; exact up to n = 40,
/// normal approximation above.
double signed_rank_probability(std::size_t n, std::size_t w);

/// The middle of differences that lie symmetrically about it: the median of the averages of any two, and bounds that
/// the true middle keeps except with the probabilities `low_risk` and `high_risk` (Hollander and Wolfe, sections 3.2
/// and 3.3). A bound that so few differences cannot give is infinite.
Interval middle_by_signed_ranks(std::span<const double> differences, double low_risk, double high_risk);

/// Which of several hypotheses are rejected, so that the risk of rejecting any true one is `risk`, however they
/// depend on each other (Holm, "A Simple Sequentially Rejective Multiple Test Procedure").
std::vector<bool> holm(std::span<const double> probabilities, double risk);

}  // namespace nasvm
