#include "vm/process/line_pieces.hpp"

namespace nasvm::process {

void LinePieces::take(std::string_view bytes, TimePoint now) {
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    std::string_view line = bytes.substr(0, end);
    if (!pending_.empty()) line = pending_.append(line);
    on_piece_(line, true);
    pending_.clear();
    bytes.remove_prefix(end + 1);
  }
  if (bytes.empty()) return;
  if (pending_.empty()) since_ = now;
  pending_.append(bytes);
  if (pending_.size() >= longest_piece) hand_over();
}

LinePieces::TimePoint LinePieces::due() const {
  return is_looked_at_ && !pending_.empty() ? since_ + patience : TimePoint::max();
}

void LinePieces::hand_over() {
  if (!pending_.empty()) on_piece_(std::exchange(pending_, {}), false);
}

}  // namespace nasvm::process
