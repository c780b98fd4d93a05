#pragma once
/// \file
/// Which host is lost, where daemons say that others do not answer them. One that hears nobody accuses all the
/// others: so what they say is collected for a while, and of two that do not hear each other that one is lost which
/// concerns more hosts by then. Who does not answer the console either is lost without any other's word.
///
/// No clock: the time is an argument. Nothing blocks.

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nasvm {

class Accusations {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Until a daemon that hears nobody has noticed that of all: links ask every 2 s for a sign of life, and a daemon
  /// looks every second which of them owe one, so that 3 s lie between its first word and its last; and the way here.
  static constexpr std::chrono::milliseconds patience{4000};

  struct Accusation {
    std::size_t accuser = 0;
    std::size_t accused = 0;
    std::string text;  ///< the accuser's words
    TimePoint since{};
  };
  struct Ruling {
    std::size_t lost = 0;
    std::vector<Accusation> because;  ///< all that concern it, by others or its own; one at least
  };

  void note(Accusation accusation);
  /// The next host that is lost, if it is time to say so; what concerns it is settled then. `answers`: has the
  /// console heard of that host lately?
  std::optional<Ruling> rule(TimePoint now, const std::function<bool(std::size_t host)>& answers);
  /// That host is no part of the machine any more.
  void forget(std::size_t host);

 private:
  [[nodiscard]] std::size_t concerned_by(std::size_t host) const;
  [[nodiscard]] std::optional<std::size_t> most_concerning(TimePoint now) const;
  Ruling settle(std::size_t host);

  std::vector<Accusation> all_;  ///< of no two the same accuser and accused; the oldest first
};

}  // namespace nasvm
