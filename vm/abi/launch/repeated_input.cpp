#include "vm/abi/launch/repeated_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace nasvm::abi {

std::optional<RepeatedFile> RepeatedFile::of(int input) {
  struct stat facts {};
  if (::fstat(input, &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  const off_t begin = ::lseek(input, 0, SEEK_CUR);
  if (begin < 0) return {};
  return RepeatedFile(input, begin);
}

void RepeatedFile::rewind() const { (void)::lseek(file_, begin_, SEEK_SET); }

std::optional<RepeatedPipe> RepeatedPipe::of(int input, std::size_t most) {
  struct stat facts {};
  if (::fstat(input, &facts) != 0 || !(S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode))) return {};
  if ((::fcntl(input, F_GETFL) & O_ACCMODE) == O_WRONLY) return {};  // the program is to see that
  return RepeatedPipe(input, most);
}

net::Fd RepeatedPipe::open() {
  pipe_.end();
  passed_ = 0;
  return is_too_long_ ? net::Fd() : pipe_.open();
}

void RepeatedPipe::watch(std::vector<pollfd>& watched) const {
  if (!pipe_) return;
  const bool has_more = passed_ < kept_.size();
  watched.push_back(pipe_.watched(has_more));
  if (!has_more) watched.push_back({source_, POLLIN, 0});
}

void RepeatedPipe::go_on() {
  // A piece at a time: who waits for the console meanwhile is to have a turn.
  if (pipe_.is_read() && pass_on() && read_more()) (void)pass_on();
}

/// False: there is no room for all of it.
bool RepeatedPipe::pass_on() {
  if (passed_ < kept_.size()) passed_ += pipe_.pass_on(std::string_view(kept_).substr(passed_));
  if (passed_ < kept_.size()) return false;
  if (has_ended_) pipe_.end();
  return static_cast<bool>(pipe_);
}

/// False: there is nothing to read now. What no other run can be given any more is not kept.
bool RepeatedPipe::read_more() {
  pollfd one{source_, POLLIN, 0};
  if (::poll(&one, 1, 0) <= 0) return false;
  std::array<char, 65536> text;
  const ssize_t count = ::read(source_, text.data(), text.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  has_ended_ = count <= 0;
  if (has_ended_) return true;  // so that the program sees it
  const auto bytes = static_cast<std::size_t>(count);
  is_too_long_ = is_too_long_ || kept_.size() + bytes > most_;
  if (is_too_long_) {
    kept_.clear();
    passed_ = 0;
  }
  kept_.append(text.data(), bytes);
  return true;
}

}  // namespace nasvm::abi
