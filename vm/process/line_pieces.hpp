#pragma once
/// \file
/// A program's output in lines, and in pieces of lines where their ends are too far away: a prompt has none before it
/// is answered. No clock: the time is an argument. Nothing blocks.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace nasvm::process {

/// No more than that of a line is kept, about: it may be anything, and has no end perhaps.
inline constexpr std::size_t longest_piece = 1 << 20;

class LinePieces {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  /// Gets the next piece of a line; `is_ended`: a newline follows, which is no part of it.
  using OnPiece = std::function<void(std::string_view text, bool is_ended)>;

  /// For so long an unfinished line is waited for where somebody looks at it.
  static constexpr std::chrono::milliseconds patience{100};

  /// `is_looked_at`: what there is of a line is handed over when it has waited for its end that long. Else lines stay
  /// whole, up to the longest piece.
  LinePieces(OnPiece on_piece, bool is_looked_at) : on_piece_(std::move(on_piece)), is_looked_at_(is_looked_at) {}

  void take(std::string_view bytes, TimePoint now);
  /// When `look` is to be called at the latest; TimePoint::max(): it need not be.
  [[nodiscard]] TimePoint due() const;
  void look(TimePoint now) {
    if (now >= due()) hand_over();
  }
  /// What there is of a line, if anything: no more will come.
  void hand_over();

 private:
  OnPiece on_piece_;
  bool is_looked_at_;
  std::string pending_;  ///< without a newline
  TimePoint since_{};    ///< its first byte has come
};

}  // namespace nasvm::process
