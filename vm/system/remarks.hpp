#pragma once
/// \file
/// What a helper program (mpirun, pvmd) has said that means nothing to us: told when nothing better is known.

#include <string>

namespace nasvm {

class Remarks {
 public:
  /// Lines without a letter (dashes, dots) say nothing; the first 300 characters or so are kept.
  void add(const std::string& line);
  /// `text`, followed by what has been said: "TEXT: REMARKS", or "TEXT" alone.
  [[nodiscard]] std::string after(const std::string& text) const;

 private:
  std::string words_;
};

}  // namespace nasvm
