#include "harness/session/progress.hpp"

#include <fmt/format.h>

namespace nasvm {
namespace {

constexpr std::size_t bar_cells = 20;

std::string bar(std::size_t done, std::size_t total) {
  const std::size_t full = bar_cells * done / total;
  return fmt::format("[{:#<{}}{:.<{}}]", "", full, "", bar_cells - full);
}

}  // namespace

void Progress::show(const std::string& what, std::size_t position, std::size_t total) {
  if (!console_.err_is_terminal) return;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_).count();
  clear();
  console_.err(fmt::format("{} {}/{}  {}:{:02}  {}", bar(position, total), position + 1, total, seconds / 60,
                           seconds % 60, what));
  shown_ = true;
}

void Progress::clear() {
  if (shown_) console_.err("\r\033[K");
  shown_ = false;
}

void Progress::note(const std::string& text) {
  clear();
  console_.err(fmt::format("nasvm: {}\n", text));
}

}  // namespace nasvm
