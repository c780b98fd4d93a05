#pragma once
/// \file
/// What endpoints say of a receive that is `abandoned` because its message was longer.

#include <string>

#include "vm/endpoint.hpp"
#include "vm/status.hpp"

namespace nasvm {

class TooShort : public RunError {
 public:
  /// The receive's status says whose message it was, and how long where that is known: some MPIs tell of no more than
  /// there was room for.
  explicit TooShort(const Operation& receive);

  /// For messages of collectives, without the collective's name: nobody has chosen their tags, data may travel in
  /// pieces, and either of the two may be wrong.
  [[nodiscard]] const std::string& collective_text() const { return collective_text_; }

 private:
  std::string collective_text_;
};

/// Throws TooShort.
[[noreturn, gnu::cold]] inline void complain_of_length(const Operation& receive) { throw TooShort(receive); }

}  // namespace nasvm
