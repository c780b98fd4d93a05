#include "support/skip.hpp"

#include <iostream>
#include <utility>

namespace nasvm::test {
namespace {

bool skipped = false;

}  // namespace

void skip(const std::string& reason) {
  skipped = true;
  std::cout << "skipped: " << reason << std::endl;
}

bool take_skipped() { return std::exchange(skipped, false); }

}  // namespace nasvm::test
