#pragma once
/// \file
/// Numbers for people: four significant digits, never more than were measured, never an exponent.

#include <cstdint>
#include <span>
#include <string>

namespace nasvm {

/// Four significant digits in plain notation, at most six behind the point, all digits of what is 1000 and more;
/// "0" for zero; "-" for what is not a finite number. 1.2345 is "1.234", 123.45 "123.5", 0.01234 "0.01234".
std::string number_text(double value);

/// Digits behind the point with which these numbers stand well below each other: four significant digits for the
/// largest and at least two for the smallest (zeros and what is not finite aside), at most six.
int decimals_for(std::span<const double> values);

/// That many digits behind the point; "0" and "-" as above.
std::string fixed_text(double value, int decimals);

/// A factor: "1.53x"; "12.3x", "153x" for larger ones, "0.00216x" for those below 0.1; "-" for what is not a finite
/// number.
std::string factor_text(double value);

/// Bytes in the unit that suits: "24.7 GB" (10^9), "512 B".
std::string bytes_text(std::uint64_t bytes);

/// Of caches, which are counted in powers of two: "48 KiB", "32 MiB"; "" for none.
std::string capacity_text(std::uint64_t bytes);

/// How far repeats lie apart, "12 %" of their median (largest - smallest); "" for one repeat, "-" when it is 0.
std::string spread_text(std::span<const double> repeats, int decimals);

/// The interval of the ratio of two medians, "1.33-1.80"; "" when one side has fewer than five values, or any is
/// no positive number.
std::string interval_text(std::span<const double> numerator, std::span<const double> denominator);

}  // namespace nasvm
