#include "vm/launch/verdict.hpp"

#include <utility>

namespace nasvm {

void Verdict::note(Gravity gravity, std::string text, TimePoint now, Exit exit_status) {
  if (!failed()) since_ = now;
  if (!failed() || gravity > gravest_->gravity) gravest_ = {gravity, {exit_status, std::move(text)}};
}

void Verdict::pronounce() const { throw Error(gravest_->complaint.exit_status, gravest_->complaint.text); }

}  // namespace nasvm
