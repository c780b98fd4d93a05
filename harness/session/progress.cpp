#include "harness/session/progress.hpp"

#include <fmt/format.h>

#include <regex>

#include "harness/wrap.hpp"

namespace nasvm {
namespace {

constexpr std::size_t bar_cells = 20;
constexpr std::chrono::minutes pause_between_words{1};

std::string bar(std::size_t done, std::size_t total) {
  const std::size_t full = bar_cells * done / total;
  return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", bar_cells - full);
}

}  // namespace

void Progress::show(std::span<const std::string> steps, std::size_t position) {
  const auto now = console_.now();
  const auto seconds = [now](auto since) { return std::chrono::duration<double>(now - since).count(); };
  if (position > 0) times_.add(steps[position - 1], seconds(step_begin_));
  step_begin_ = now;
  const auto left_s = times_.estimate_s(steps.subspan(position));
  const std::string left = left_s ? fmt::format(", {} left", duration_text(*left_s)) : "";
  if (!console_.err_is_terminal) {
    if (now - last_word_ < pause_between_words) return;
    last_word_ = now;
    return note(fmt::format("{} of {} done, {}{}; now {}", position, steps.size(), duration_text(seconds(begin_)),
                            left, steps[position]));
  }
  const std::string line = fmt::format("{} {}/{}  {}{}  {}", bar(position, steps.size()), position + 1, steps.size(),
                                       duration_text(seconds(begin_)), left, steps[position]);
  clear();
  // One that fills the terminal would go on in a second row, which clear() leaves.
  console_.err(console_.err_columns == 0 ? line : first_columns(line, console_.err_columns - 1));
  shown_ = true;
}

void Progress::clear() {
  if (shown_) console_.err("\r\033[K");
  shown_ = false;
}

bool Progress::is_word(std::string_view line) {
  static const std::regex word("nasvm: [0-9]+ of [0-9]+ done, .*; now .*");
  return std::regex_match(line.begin(), line.end(), word);
}

void Progress::note(const std::string& text) {
  clear();
  console_.err(fmt::format("nasvm: {}\n", text));
}

}  // namespace nasvm
