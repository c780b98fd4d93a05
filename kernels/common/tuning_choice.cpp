#include "kernels/common/tuning_choice.hpp"

#include <fmt/format.h>

namespace nasvm {

std::string cache_size_text(double bytes) {
  constexpr double kib = 1024;
  constexpr double mib = 1024 * kib;
  // Whole numbers from 1000 on, which three digits would make powers of ten.
  const auto three_digits = [](double number) {
    return number < 999.5 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
  };
  return bytes < mib ? three_digits(bytes / kib) + " KiB" : three_digits(bytes / mib) + " MiB";
}

}  // namespace nasvm
