#include "vm/process/line_reader.hpp"

#include <algorithm>
#include <utility>

namespace nasvm::process {

LineReader::LineReader(net::Fd pipe, net::Poller& poller, OnLine on_line, std::size_t longest)
    : on_line_(std::move(on_line)),
      longest_(longest),
      reader_(std::move(pipe), poller, [this](std::string_view bytes) {
        if (!bytes.empty()) take(bytes);
        else if (!pending_.empty()) on_line_(std::exchange(pending_, {}));
      }) {}

void LineReader::take(std::string_view bytes) {
  for (;;) {
    const std::size_t end = bytes.find('\n');
    const std::size_t room = longest_ - std::min(longest_, pending_.size());
    pending_.append(bytes.substr(0, std::min(end, room)));
    if (end == std::string_view::npos) return;
    on_line_(std::exchange(pending_, {}));
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace nasvm::process
