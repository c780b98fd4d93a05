#pragma once
/// \file
/// A line on which something else fails while its task waits, as a request of the program's own does where the file
/// cache uses the program's service.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "vm/files/error.hpp"
#include "vm/files/line.hpp"
#include "vm/files/note.hpp"
#include "vm/status.hpp"

namespace nasvm::test {

class FailingLine final : public files::Line {
 public:
  /// The other line outlives it.
  explicit FailingLine(files::Line& line) : line_(line) {}

  /// Once so many notes of that kind have been posted, the next wait ends with a RunError; nothing is heard in it.
  void fail_after(files::Kind kind, int notes) {
    kind_ = kind;
    notes_left_ = notes;
  }

  int rank() const override { return line_.rank(); }
  int size() const override { return line_.size(); }
  void post(int to, std::vector<std::byte> message) override {
    if (notes_left_ > 0 && files::decode(message).kind == kind_) fails_ = --notes_left_ == 0;
    line_.post(to, std::move(message));
  }
  void progress() override { line_.progress(); }
  bool wait_until(const std::function<bool()>& done, files::TimePoint deadline) override {
    if (std::exchange(fails_, false)) throw RunError("something else has failed");
    return line_.wait_until(done, deadline);
  }
  void listen(Listener listener) override { line_.listen(std::move(listener)); }
  bool is_gone(int task) const override { return line_.is_gone(task); }
  std::uint64_t calls() const override { return line_.calls(); }
  bool is_waiting() const override { return line_.is_waiting(); }

 private:
  files::Line& line_;
  files::Kind kind_ = files::Kind::done;
  int notes_left_ = 0;
  bool fails_ = false;
};

/// Does `action` end with an error that is no file's?
template <typename Action>
bool fails_otherwise(Action action) {
  try {
    action();
  } catch (const files::FileError&) {
    return false;
  } catch (const RunError&) {
    return true;
  }
  return false;
}

}  // namespace nasvm::test
