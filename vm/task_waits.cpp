#include "vm/task_waits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "vm/collective/tags.hpp"
#include "vm/engine/peers.hpp"

namespace nasvm {
namespace {

using Pending = Engine::Pending;
using NameOf = std::function<std::string(Rank)>;

std::string_view name_of_collective(Tag tag, bool finishing) {
  return finishing && tag == collective::barrier_tag ? "finish" : collective::name_of(tag);
}

std::string_view kind_of(Context context) {
  if (context == packed_context) return "a packed message";
  if (context == unpacked_context) return "an unpacked message";
  return context >= first_request_context ? "a request" : "a message";
}

std::string tag_text(Tag tag) { return tag == any_tag ? "any tag" : fmt::format("tag {}", tag); }

std::string text_of(const Pending& one, const NameOf& name_of, bool finishing) {
  const std::string peer = one.peer == any_source ? "any rank" : name_of(one.peer);
  if (is_of_collective(one.context)) return fmt::format("for {} in {}", peer, name_of_collective(one.tag, finishing));
  if (one.kind == Operation::Kind::send) {
    return fmt::format("until {} takes {} of {} bytes with {}", peer, kind_of(one.context), one.bytes,
                       tag_text(one.tag));
  }
  return fmt::format("for {} from {} with {}", kind_of(one.context), peer, tag_text(one.tag));
}

std::string unread_text(const Pending& one, const NameOf& name_of) {
  if (is_of_collective(one.context)) {
    return fmt::format("a part of {} from {} has come", name_of_collective(one.tag, false), name_of(one.peer));
  }
  return fmt::format("{} from {} with {} has come", kind_of(one.context), name_of(one.peer), tag_text(one.tag));
}

std::string more_text(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format(" and {} more", all - shown) : "";
}

}  // namespace

std::string text_of(const TaskWaits& waits, const NameOf& name_of) {
  constexpr std::size_t most = 2;
  std::vector<std::string> all;
  for (const Pending& one : waits.pending) {
    std::string text = text_of(one, name_of, waits.finishing);
    if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
  }
  std::string text;
  for (const std::string& one : std::span(all).first(std::min(most, all.size()))) {
    text += (text.empty() ? "waits " : ", ") + one;
  }
  text += more_text(all.size(), most);
  if (text.empty() && waits.in_memory)
    text = waits.finishing ? "waits for others in finish" : "waits for others in a collective";
  if (text.empty() && waits.in_multicast) text = "waits in a multicast";
  if (text.empty() && !waits.asked.empty()) text = fmt::format("waits for the machine's answer to {}", waits.asked);
  if (text.empty()) text = "waits for no message";
  // One that somebody may have meant.
  const auto meant = std::ranges::find_if(waits.unread, [&](const Pending& unread) {
    return std::ranges::any_of(waits.pending, [&](const Pending& one) {
      return one.kind == Operation::Kind::receive && (one.peer == any_source || one.peer == unread.peer);
    });
  });
  if (meant != waits.unread.end()) text += fmt::format(" ({}, and is not received)", unread_text(*meant, name_of));
  return text;
}

}  // namespace nasvm
