#include "vm/protocol/protocol.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

using namespace nasvm;
using namespace nasvm::protocol;
using Catch::Contains;

namespace {

Message parse_text(std::string_view text) { return parse(std::as_bytes(std::span(text))); }

const Setup setup{.program = "ep A", .transport = "shm+direct", .pairs = {{0, 3, "daemon"}}, .bind = false};
const Load load{.tasks = 3, .threads = 6, .daemons = 2};
const Tid task = Tid::task(0x7ffe, 0xfffe);

/// One of each type, every field different from its default.
std::vector<Message> samples() {
  return {
      Hosts{{{1, "left", "127.0.0.1", 4000}, {2, "right", "127.0.0.2", 65535}}, "a group"},
      Spawn{"/bin/true", {"a", "b c"}, {"X=1"}, 4, 2, setup, load, Tid::task(1, 9), {{task, 3, 1}}},
      Start{{{task, "left", {{"direct", "127.0.0.1:4000"}, {"daemon", ""}}}, {Tid::task(1, 1), "right", {}}}},
      Kill{},
      End{task},
      Where{},
      Ping{},
      Forget{3},
      Halt{},
      Hello{2,
            "node2",
            4711,
            "0.1",
            "10.0.0.2",
            4001,
            "b00t",
            "a processor",
            2,
            std::numeric_limits<std::uint64_t>::max(),
            "6.1",
            {{1, 32768, 2}},
            "madvise",
            "performance",
            "KVM",
            "65536/7.3/5.5/6.5"},
      Ready{task, 4711, {{"shm", "17"}}},
      Blocked{task, 4711, {{Tid::task(1, 2), 3}}, {{Tid::task(1, 3), 1}}},
      Waits{task, 4711, "waits for a message"},
      Failed{task, 4711, Exit::usage, "a \"quoted\" line\n"},
      Exited{task, 4711, true, true, "was killed by signal 9 (SIGKILL)", true},
      NotStarted{task, Exit::broken, "no more processes"},
      Killed{},
      Lost{2, "host right does not answer"},
      Pong{},
      Welcome{"1 (a)", task, 3, 4, 1, 2, "127.0.0.1", "ab", setup, load, Tid::task(1, 9)},
      Done{true},
      Group{Tid::group(2, 5), {task, Tid::task(1, 2)}, true},
      SpawnOrder{task, 4711, "worker", {"a"}, "what to do", 3, "right", true},
      KillOrder{task, 4711, Tid::task(1, 2)},
      Watch{task, 4711, {Tid::task(1, 2)}, true},
      GroupCall{task, 4711, "barrier", "workers", 3},
      Answer{task, {Tid::task(1, 2)}, 2, "there is no such host", Exit::usage},
      Gone{task, Tid::task(1, 2), true, true, "ended with status 0", true},
  };
}

/// Keeps what is sent.
struct Recorder {
  void send_copy(const Envelope& to, std::span<const std::byte> bytes) {
    envelope = to;
    text.assign(bytes.begin(), bytes.end());
  }
  Envelope envelope;
  std::vector<std::byte> text;
};

std::string protocol_page() {
  std::ifstream file(NASVM_SOURCE_FOLDER "/docs/protocol.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("every control message can be read again as it was", "[protocol]") {
  const auto messages = samples();
  REQUIRE(messages.size() == std::variant_size_v<Message>);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    CAPTURE(type_of(messages[i]));
    REQUIRE(messages[i].index() == i);
    CHECK(parse_text(to_text(messages[i])) == messages[i]);
  }
}

TEST_CASE("a control message is one packet for its receiver", "[protocol]") {
  Recorder stream;
  const Message message = Lost{.host = 2, .text = "host right does not answer"};
  send(stream, Tid::daemon(2), Tid::console(), message);
  CHECK(stream.envelope.kind == PacketKind::control);
  CHECK(stream.envelope.source == Tid::daemon(2).value);
  CHECK(stream.envelope.destination == Tid::console().value);
  CHECK(stream.envelope.payload_bytes == stream.text.size());
  CHECK(stream.envelope.message_bytes == stream.text.size());
  CHECK(stream.envelope.element_bytes == 1);
  CHECK(parse(stream.text) == message);
}

TEST_CASE("what is not an object with a known type is refused", "[protocol]") {
  CHECK(parse_text(R"({"type": "ping"})") == Message(Ping{}));
  CHECK(parse_text(R"({"type": "ping", "of a later version": [1]})") == Message(Ping{}));
  for (const char* wrong :
       {"", "{", "nonsense", "[]", "3", "null", "\"ping\"", "{}", R"({"kind": "ping"})", R"({"type": 3})",
        R"({"type": null})", R"({"type": "ping"} and more)", R"({"type": "pigeon"})", "\xff\xfe"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_text(wrong), RunError);
  }
  CHECK_THROWS_WITH(parse_text(R"({"type": "pigeon"})"), Contains("\"pigeon\" is not known"));
}

TEST_CASE("a message that ends too early is refused wherever it is cut", "[protocol]") {
  for (const Message& message : samples()) {
    const std::string text = to_text(message);
    for (std::size_t length = 0; length < text.size(); ++length) {
      CAPTURE(text.substr(0, length));
      CHECK_THROWS_AS(parse_text(std::string_view(text).substr(0, length)), RunError);
    }
  }
}

TEST_CASE("a field that is missing or of another form is named", "[protocol]") {
  struct Case {
    const char* text;
    const char* expected;
  };
  const auto [text, expected] = GENERATE(
      Case{R"({"type": "lost", "text": ""})", "lost.host: missing"},
      Case{R"({"type": "lost", "host": "2", "text": ""})", "lost.host: not a number"},
      Case{R"({"type": "lost", "host": 2.5, "text": ""})", "lost.host: not a number"},
      Case{R"({"type": "lost", "host": 4294967296, "text": ""})", "lost.host: not a number"},
      Case{R"({"type": "lost", "host": 2, "text": 7})", "lost.text: not a text"},
      Case{R"({"type": "group", "group": -1, "tids": []})", "group.group: not a number"},
      Case{R"({"type": "group", "group": 1, "tids": {}})", "group.tids: not a list"},
      Case{R"({"type": "group", "group": 1, "tids": [1, true]})", "group.tids[1]: not a number"},
      Case{R"({"type": "start", "members": [{"tid": 1, "host": "a", "descriptors": []}]})",
           "start.members[0].descriptors: not an object"},
      Case{R"({"type": "start", "members": [{"tid": 1, "host": "a", "descriptors": {"shm": 1}}]})",
           "start.members[0].descriptors.shm: not a text"},
      Case{R"({"type": "start", "members": [3]})", "start.members[0]: not an object"},
      Case{R"({"type": "exited", "tid": 1, "pid": 2, "clean": 1, "signal": false, "text": ""})",
           "exited.clean: not true or false"},
      Case{R"({"type": "failed", "tid": 1, "pid": 2, "exit": 17, "text": ""})", "failed.exit: not an exit status"});
  CAPTURE(text);
  CHECK_THROWS_WITH(parse_text(text), Contains(expected));
}

TEST_CASE("a text that is not UTF-8 does not stop a message", "[protocol]") {
  const Message sent = Failed{.tid = task, .text = "bad \xff byte"};
  CHECK(std::get<Failed>(parse_text(to_text(sent))).text == "bad \xef\xbf\xbd byte");
}

TEST_CASE("a daemon's first line can be read again, and what is not one is wrong usage", "[protocol]") {
  const Bootstrap bootstrap{"1 (a)", "127.0.0.1:4000", "ab", "eth0", "RANK", {{2, "node2", "127.0.0.2"}}};
  CHECK(parse_bootstrap(to_text(bootstrap), "1 (a)") == bootstrap);
  CHECK(to_text(bootstrap).find('\n') == std::string::npos);
  for (const char* wrong : {"", "{}", "hello", R"({"console": 1})", "[]"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_bootstrap(wrong, "1 (a)"), UsageError);
  }
}

TEST_CASE("a daemon refuses the first line of another version, and names both", "[protocol]") {
  const Bootstrap bootstrap{"1 (a)", "127.0.0.1:4000", "ab", "", "", {{1, "node", "127.0.0.1"}}};
  CHECK_THROWS_WITH(parse_bootstrap(to_text(bootstrap), "2 (b)"), Contains("1 (a)") && Contains("2 (b)"));
  const char* without_version = R"({"console": "127.0.0.1:1", "secret": "ab", "host": 1})";
  CHECK_THROWS_WITH(parse_bootstrap(without_version, "2 (b)"), Contains("older build") && Contains("2 (b)"));
}

TEST_CASE("a message goes to the handler of its type, and is refused where there is none", "[protocol]") {
  int pings = 0;
  int lost_host = 0;
  const Handlers handlers{
      [&](const Ping&) { ++pings; },
      [&](const Lost& lost) { lost_host = lost.host; },
  };
  dispatch(Ping{}, handlers);
  dispatch(Lost{.host = 7, .text = ""}, handlers);
  CHECK(pings == 1);
  CHECK(lost_host == 7);
  CHECK_THROWS_WITH(dispatch(Halt{}, handlers), Contains("\"halt\"") && Contains("not expected"));
}

TEST_CASE("another message than the one that is expected is refused", "[protocol]") {
  CHECK(expect<Lost>(Lost{.host = 7, .text = ""}).host == 7);
  CHECK_THROWS_WITH(expect<Welcome>(Ping{}), Contains("\"ping\""));
}

TEST_CASE("connections of different purposes are told apart", "[protocol]") {
  CHECK(control_connection != direct_connection);
}

TEST_CASE("docs/protocol.md lists the messages as they are described", "[protocol]") {
  const std::string page = protocol_page();
  const std::string begin = "<!-- from here on as protocol::documentation() writes it -->\n\n";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  INFO("expected:\n" << documentation());
  CHECK(page.substr(at + begin.size()) == documentation());
}
