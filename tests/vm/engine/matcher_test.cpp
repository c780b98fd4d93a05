#include "vm/engine/matcher.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <list>
#include <random>

using namespace nasvm;

namespace {

struct Receive : Operation {
  Receive(Rank source, Tag wanted_tag, Context wanted_context = 0) {
    kind = Kind::receive;
    peer = source;
    tag = wanted_tag;
    context = wanted_context;
  }
};

/// A message is known by its number.
std::unique_ptr<Unexpected> message(Rank source, Tag tag, std::uint32_t number = 0, Context context = 0) {
  auto made = std::make_unique<Unexpected>();
  made->source = source;
  made->tag = tag;
  made->context = context;
  made->sender_id = number;
  return made;
}

/// The rules word for word: one list of receives, one of messages, both oldest first.
class NaiveMatcher {
 public:
  struct Waiting {
    Rank source;
    Tag tag;
    Context context;
    std::uint32_t number;
  };

  /// The number of the receive that a message goes to, after which it is gone; 0: the message waits.
  std::uint32_t arrive(const Waiting& message) {
    const auto found =
        std::ranges::find_if(receives_, [&](const Waiting& receive) { return match(receive, message); });
    if (found == receives_.end()) {
      messages_.push_back(message);
      return 0;
    }
    const std::uint32_t number = found->number;
    receives_.erase(found);
    return number;
  }
  std::uint32_t find(const Waiting& receive) const {
    const auto found =
        std::ranges::find_if(messages_, [&](const Waiting& message) { return match(receive, message); });
    return found == messages_.end() ? 0 : found->number;
  }
  /// The number of the message that a receive takes; 0: it is posted.
  std::uint32_t post(const Waiting& receive) {
    const std::uint32_t number = find(receive);
    if (number == 0) {
      receives_.push_back(receive);
    } else {
      std::erase_if(messages_, [&](const Waiting& message) { return message.number == number; });
    }
    return number;
  }
  bool cancel(std::uint32_t number) {
    return std::erase_if(receives_, [&](const Waiting& receive) { return receive.number == number; }) == 1;
  }

 private:
  static bool match(const Waiting& receive, const Waiting& message) {
    return receive.context == message.context && (receive.source == any_source || receive.source == message.source) &&
           (receive.tag == any_tag || receive.tag == message.tag);
  }

  std::list<Waiting> receives_;
  std::list<Waiting> messages_;
};

}  // namespace

TEST_CASE("a receive matches only its source, its tag and its context", "[matcher]") {
  Matcher matcher(3);
  Receive receive(1, 5, 9);
  matcher.post(receive);
  CHECK(matcher.take_posted(0, 5, 9) == nullptr);
  CHECK(matcher.take_posted(1, 6, 9) == nullptr);
  CHECK(matcher.take_posted(1, 5, 8) == nullptr);
  CHECK(matcher.take_posted(1, 5, 9) == &receive);
  CHECK(matcher.take_posted(1, 5, 9) == nullptr);
}

TEST_CASE("a wild receive matches any source or any tag, but no other context", "[matcher]") {
  Matcher matcher(3);
  Receive any_sender(any_source, 5, 9), any_message(2, any_tag, 9), anything(any_source, any_tag, 9);
  SECTION("source") {
    matcher.post(any_sender);
    CHECK(matcher.take_posted(2, 6, 9) == nullptr);
    CHECK(matcher.take_posted(2, 5, 8) == nullptr);
    CHECK(matcher.take_posted(2, 5, 9) == &any_sender);
  }
  SECTION("tag") {
    matcher.post(any_message);
    CHECK(matcher.take_posted(1, 5, 9) == nullptr);
    CHECK(matcher.take_posted(2, 77, 8) == nullptr);
    CHECK(matcher.take_posted(2, 77, 9) == &any_message);
  }
  SECTION("both") {
    matcher.post(anything);
    CHECK(matcher.take_posted(0, 0, 8) == nullptr);
    CHECK(matcher.take_posted(0, 0, 9) == &anything);
  }
}

TEST_CASE("a message goes to the oldest receive, wild or not", "[matcher]") {
  Matcher matcher(2);
  Receive specific(1, 5), wild(any_source, any_tag), specific_again(1, 5);
  SECTION("the wild one is younger") {
    matcher.post(specific);
    matcher.post(wild);
    matcher.post(specific_again);
    CHECK(matcher.take_posted(1, 5, 0) == &specific);
    CHECK(matcher.take_posted(1, 5, 0) == &wild);
    CHECK(matcher.take_posted(1, 5, 0) == &specific_again);
  }
  SECTION("the wild one is older") {
    matcher.post(wild);
    matcher.post(specific);
    CHECK(matcher.take_posted(1, 5, 0) == &wild);
    CHECK(matcher.take_posted(1, 5, 0) == &specific);
  }
}

TEST_CASE("an older receive of another tag is passed over and stays", "[matcher]") {
  Matcher matcher(1);
  Receive first(0, 1), second(0, 2), third(0, 1);
  for (Receive* receive : {&first, &second, &third}) matcher.post(*receive);
  CHECK(matcher.take_posted(0, 2, 0) == &second);
  CHECK(matcher.take_posted(0, 1, 0) == &first);
  CHECK(matcher.take_posted(0, 1, 0) == &third);
  Receive fourth(0, 1);  // the list's end is still right
  matcher.post(fourth);
  CHECK(matcher.take_posted(0, 1, 0) == &fourth);
}

TEST_CASE("messages of one source do not overtake each other", "[matcher]") {
  Matcher matcher(2);
  matcher.add_unexpected(message(1, 5, 1));
  matcher.add_unexpected(message(1, 6, 2));
  matcher.add_unexpected(message(1, 5, 3));
  CHECK(matcher.take_unexpected(1, 5, 0)->sender_id == 1);
  CHECK(matcher.take_unexpected(1, any_tag, 0)->sender_id == 2);
  CHECK(matcher.take_unexpected(any_source, 5, 0)->sender_id == 3);
  CHECK(matcher.take_unexpected(any_source, any_tag, 0) == nullptr);
}

TEST_CASE("a wild receive takes the message that came first", "[matcher]") {
  Matcher matcher(3);
  matcher.add_unexpected(message(2, 5, 1));
  matcher.add_unexpected(message(0, 5, 2));
  matcher.add_unexpected(message(1, 4, 3));
  CHECK(matcher.take_unexpected(any_source, 4, 0)->sender_id == 3);
  CHECK(matcher.take_unexpected(any_source, any_tag, 0)->sender_id == 1);
  CHECK(matcher.take_unexpected(any_source, any_tag, 0)->sender_id == 2);
}

TEST_CASE("unexpected messages of other contexts are not seen", "[matcher]") {
  Matcher matcher(1);
  matcher.add_unexpected(message(0, 5, 1, 7));
  CHECK(matcher.find_unexpected(any_source, any_tag, 6) == nullptr);
  CHECK(matcher.take_unexpected(0, 5, 6) == nullptr);
  REQUIRE(matcher.find_unexpected(any_source, any_tag, 7) != nullptr);
  CHECK(matcher.find_unexpected(0, 5, 7)->sender_id == 1);  // looking takes nothing
  CHECK(matcher.take_unexpected(0, 5, 7)->sender_id == 1);
}

TEST_CASE("a cancelled receive is gone, a matched one cannot be cancelled", "[matcher]") {
  Matcher matcher(2);
  Receive first(0, 1), second(0, 1), third(0, 1), wild(any_source, 1);
  for (Receive* receive : {&first, &second, &third, &wild}) matcher.post(*receive);
  CHECK(matcher.cancel(second));
  CHECK_FALSE(matcher.cancel(second));
  CHECK(matcher.cancel(third));
  CHECK(matcher.cancel(wild));
  CHECK(matcher.take_posted(0, 1, 0) == &first);
  CHECK_FALSE(matcher.cancel(first));
  CHECK(matcher.take_posted(0, 1, 0) == nullptr);
  matcher.post(second);
  CHECK(matcher.take_posted(0, 1, 0) == &second);
}

TEST_CASE("a long random history goes as the rules say", "[matcher]") {
  constexpr int ranks = 4;
  const unsigned seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  Matcher matcher(ranks);
  NaiveMatcher naive;
  std::vector<std::unique_ptr<Receive>> receives;  // number - 1
  int matched = 0;
  for (std::uint32_t step = 1; step <= 5000; ++step) {
    CAPTURE(step);
    const NaiveMatcher::Waiting message_or_receive{below(ranks), below(3), static_cast<Context>(below(2)), step};
    NaiveMatcher::Waiting wanted = message_or_receive;
    if (below(3) == 0) wanted.source = any_source;
    if (below(3) == 0) wanted.tag = any_tag;
    const int what = below(10);
    if (what < 4) {
      const auto& [source, tag, context, number] = message_or_receive;
      const Operation* taken = matcher.take_posted(source, tag, context);
      if (taken == nullptr) matcher.add_unexpected(message(source, tag, number, context));
      const std::uint32_t expected = naive.arrive(message_or_receive);
      REQUIRE(taken == (expected == 0 ? nullptr : receives[expected - 1].get()));
      if (taken != nullptr) ++matched;
    } else if (what < 8) {
      receives.push_back(std::make_unique<Receive>(wanted.source, wanted.tag, wanted.context));
      wanted.number = static_cast<std::uint32_t>(receives.size());
      const auto taken = matcher.take_unexpected(wanted.source, wanted.tag, wanted.context);
      if (taken == nullptr) matcher.post(*receives.back());
      REQUIRE((taken == nullptr ? 0 : taken->sender_id) == naive.post(wanted));
      if (taken != nullptr) ++matched;
    } else if (what < 9 || receives.empty()) {
      const Unexpected* found = matcher.find_unexpected(wanted.source, wanted.tag, wanted.context);
      REQUIRE((found == nullptr ? 0 : found->sender_id) == naive.find(wanted));
    } else {
      const auto number = static_cast<std::uint32_t>(below(static_cast<int>(receives.size())) + 1);
      REQUIRE(matcher.cancel(*receives[number - 1]) == naive.cancel(number));
    }
  }
  CHECK(matched > 1000);
}

TEST_CASE("a receive that is posted again takes its old place", "[matcher]") {
  Matcher matcher(2);
  Receive first(any_source, 1), second(0, 1), third(any_source, 1), last(0, 1);
  for (Receive* receive : {&first, &second, &third, &last}) matcher.post(*receive);
  REQUIRE(matcher.take_posted(0, 1, 0) == &first);
  REQUIRE(matcher.take_posted(0, 1, 0) == &second);
  REQUIRE(matcher.take_posted(0, 1, 0) == &third);
  REQUIRE(matcher.take_posted(0, 1, 0) == &last);
  for (Receive* receive : {&third, &last, &first, &second}) matcher.repost(*receive);
  for (Receive* receive : {&first, &second, &third, &last}) CHECK(matcher.take_posted(0, 1, 0) == receive);
  matcher.repost(last);
  Receive next(0, 1);
  matcher.post(next);
  CHECK(matcher.take_posted(0, 1, 0) == &last);
  CHECK(matcher.take_posted(0, 1, 0) == &next);
}

TEST_CASE("receives that name a source that has ended are taken back", "[matcher]") {
  Matcher matcher(2);
  Receive named(1, 1), another(0, 1), wild(any_source, 2);
  for (Receive* receive : {&named, &another, &wild}) matcher.post(*receive);
  matcher.abandon(1);
  CHECK(named.abandoned);
  CHECK_FALSE((another.abandoned || wild.abandoned));
  CHECK(matcher.take_posted(1, 1, 0) == nullptr);
  CHECK(matcher.take_posted(1, 2, 0) == &wild);
  CHECK(matcher.take_posted(0, 1, 0) == &another);
}

TEST_CASE("some messages of a source are taken, and the others keep their order", "[matcher]") {
  Matcher matcher(1);
  for (const std::uint32_t number : {1U, 2U, 3U, 4U}) matcher.add_unexpected(message(0, 1, number));
  CHECK(matcher.take_unexpected_if(0, [](const auto& one) { return one.sender_id % 2 == 0; }).size() == 2);
  CHECK(matcher.take_unexpected(0, 1, 0)->sender_id == 1);
  CHECK(matcher.take_unexpected(any_source, 1, 0)->sender_id == 3);
  CHECK(matcher.find_unexpected(any_source, any_tag, 0) == nullptr);
}

TEST_CASE("sources may be added while receives and messages wait", "[matcher]") {
  Matcher matcher(1);
  Receive wild(any_source, 1), named(0, 2);
  matcher.post(wild);
  matcher.post(named);
  matcher.add_unexpected(message(0, 3, 7));
  matcher.grow(3);
  CHECK(matcher.take_posted(2, 1, 0) == &wild);
  CHECK(matcher.take_posted(0, 2, 0) == &named);
  matcher.add_unexpected(message(2, 3, 8));
  CHECK(matcher.take_unexpected(any_source, 3, 0)->sender_id == 7);
  CHECK(matcher.take_unexpected(any_source, 3, 0)->sender_id == 8);
}
