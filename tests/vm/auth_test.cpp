#include "vm/auth.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "vm/status.hpp"

using namespace nasvm;
using Bytes = std::vector<std::byte>;
using Role = Handshake::Role;
using State = Handshake::State;

namespace {

constexpr std::uint32_t one = 0x10001, two = 0x20002, purpose = 7;
constexpr std::size_t identity_at = 4;  // in each message; docs: "nv", version, role, identity, nonce, proof

Secret secret_of(int seed) {
  Secret secret;
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::byte>(seed + static_cast<int>(i));
  return secret;
}

struct Pair {
  Handshake initiator{secret_of(1), Role::initiator, one, purpose, two};
  Handshake acceptor{secret_of(1), Role::acceptor, two, purpose};
};

/// Carries messages to and fro until both are silent.
void exchange(Handshake& initiator, Handshake& acceptor) {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto [from, to] : {std::pair{&initiator, &acceptor}, std::pair{&acceptor, &initiator}}) {
      const Bytes output = from->take_output();
      if (!output.empty()) moved = true;
      to->feed(output);
    }
  }
}

}  // namespace

TEST_CASE("two sides with the same secret agree and know each other's identity", "[auth]") {
  Pair pair;
  CHECK(pair.initiator.state() == State::pending);
  CHECK_FALSE(pair.acceptor.peer_known());
  exchange(pair.initiator, pair.acceptor);
  CHECK(pair.initiator.state() == State::done);
  CHECK(pair.acceptor.state() == State::done);
  CHECK(pair.initiator.peer() == two);
  CHECK(pair.acceptor.peer() == one);
}

TEST_CASE("three messages of fixed length make a handshake", "[auth]") {
  Pair pair;
  const Bytes hello = pair.initiator.take_output();
  CHECK(hello.size() == Handshake::message_bytes);
  CHECK(pair.initiator.take_output().empty());
  CHECK(pair.acceptor.take_output().empty());
  CHECK(pair.acceptor.feed(hello) == hello.size());
  CHECK(pair.acceptor.peer_known());
  CHECK(pair.acceptor.state() == State::pending);

  const Bytes challenge = pair.acceptor.take_output();
  CHECK(challenge.size() == Handshake::message_bytes);
  pair.initiator.feed(challenge);
  CHECK(pair.initiator.state() == State::done);

  const Bytes proof = pair.initiator.take_output();
  CHECK(proof.size() == Handshake::message_bytes);
  pair.acceptor.feed(proof);
  CHECK(pair.acceptor.state() == State::done);
  CHECK(pair.acceptor.take_output().empty());
}

TEST_CASE("a handshake may arrive byte by byte", "[auth]") {
  Pair pair;
  const auto trickle = [](Handshake& from, Handshake& to) {
    for (const std::byte byte : from.take_output()) CHECK(to.feed({&byte, 1}) == 1);
  };
  trickle(pair.initiator, pair.acceptor);
  trickle(pair.acceptor, pair.initiator);
  trickle(pair.initiator, pair.acceptor);
  CHECK(pair.initiator.state() == State::done);
  CHECK(pair.acceptor.state() == State::done);
}

TEST_CASE("bytes after the handshake are left", "[auth]") {
  Pair pair;
  pair.acceptor.feed(pair.initiator.take_output());
  pair.initiator.feed(pair.acceptor.take_output());
  Bytes proof = pair.initiator.take_output();
  proof.resize(proof.size() + 10, std::byte{1});
  CHECK(pair.acceptor.feed(proof) == Handshake::message_bytes);
  CHECK(pair.acceptor.state() == State::done);
  CHECK(pair.acceptor.feed(Bytes(10)) == 0);
}

TEST_CASE("another secret fails", "[auth]") {
  Handshake initiator(secret_of(1), Role::initiator, one, purpose, two);
  Handshake acceptor(secret_of(2), Role::acceptor, two, purpose);
  exchange(initiator, acceptor);
  CHECK(acceptor.state() == State::failed);
  CHECK_FALSE(acceptor.peer_known());  // a stranger cannot even claim to be somebody
  CHECK(initiator.state() != State::done);
}

TEST_CASE("the proof of a hello does not serve as the last proof", "[auth]") {
  Pair pair;
  const Bytes hello = pair.initiator.take_output();
  pair.acceptor.feed(hello);
  pair.acceptor.feed(hello);  // right identity and nonce, and the proof of another message
  CHECK(pair.acceptor.state() == State::failed);
}

TEST_CASE("a connection for another purpose fails", "[auth]") {
  Handshake initiator(secret_of(1), Role::initiator, one, purpose, two);
  Handshake acceptor(secret_of(1), Role::acceptor, two, purpose + 1);
  exchange(initiator, acceptor);
  CHECK(acceptor.state() == State::failed);
  CHECK(initiator.state() != State::done);
}

TEST_CASE("a recorded handshake cannot be played again", "[auth]") {
  Pair pair;
  const Bytes hello = pair.initiator.take_output();
  pair.acceptor.feed(hello);
  pair.initiator.feed(pair.acceptor.take_output());
  const Bytes proof = pair.initiator.take_output();

  Handshake later(secret_of(1), Role::acceptor, two, purpose);
  later.feed(hello);
  REQUIRE(later.peer_known());
  later.feed(proof);
  CHECK(later.state() == State::failed);
}

TEST_CASE("an initiator's own messages sent back to it prove nothing", "[auth]") {
  Pair pair;
  pair.initiator.feed(pair.initiator.take_output());
  CHECK(pair.initiator.state() == State::failed);
}

TEST_CASE("a hello meant for one acceptor says nothing to another", "[auth]") {
  Pair pair;
  Handshake third(secret_of(1), Role::acceptor, two + 1, purpose);
  third.feed(pair.initiator.take_output());
  CHECK(third.state() == State::failed);
  CHECK_FALSE(third.peer_known());
}

TEST_CASE("two initiators do not come to terms", "[auth]") {
  Handshake a(secret_of(1), Role::initiator, one, purpose, two);
  Handshake b(secret_of(1), Role::initiator, two, purpose, one);
  a.feed(b.take_output());
  CHECK(a.state() == State::failed);
}

TEST_CASE("an identity changed on the way fails", "[auth]") {
  Pair pair;
  Bytes hello = pair.initiator.take_output();
  SECTION("in the hello") {
    hello[identity_at] ^= std::byte{4};
    pair.acceptor.feed(hello);
    CHECK(pair.acceptor.state() == State::failed);
    CHECK(pair.acceptor.take_output().empty());
  }
  SECTION("in the challenge") {
    pair.acceptor.feed(hello);
    Bytes challenge = pair.acceptor.take_output();
    challenge[identity_at] ^= std::byte{4};
    pair.initiator.feed(challenge);
    CHECK(pair.initiator.state() == State::failed);
  }
  SECTION("in the proof") {
    pair.acceptor.feed(hello);
    pair.initiator.feed(pair.acceptor.take_output());
    Bytes proof = pair.initiator.take_output();
    proof[identity_at] ^= std::byte{4};
    pair.acceptor.feed(proof);
    CHECK(pair.acceptor.state() == State::failed);
  }
}

TEST_CASE("any change of a hello or a challenge fails", "[auth]") {
  for (std::size_t at = 0; at < Handshake::message_bytes; ++at) {
    CAPTURE(at);
    Pair pair;
    const Bytes hello = pair.initiator.take_output();
    Bytes changed = hello;
    changed[at] ^= std::byte{0x80};
    Handshake other(secret_of(1), Role::acceptor, two, purpose);
    other.feed(changed);
    CHECK(other.state() == State::failed);

    pair.acceptor.feed(hello);
    Bytes challenge = pair.acceptor.take_output();
    challenge[at] ^= std::byte{0x80};
    pair.initiator.feed(challenge);
    CHECK(pair.initiator.state() == State::failed);
  }
}

TEST_CASE("garbage fails as soon as it is long enough to be a message", "[auth]") {
  Pair pair;
  CHECK(pair.acceptor.feed(Bytes(Handshake::message_bytes - 1, std::byte{'G'})) == Handshake::message_bytes - 1);
  CHECK(pair.acceptor.state() == State::pending);
  CHECK(pair.acceptor.feed(Bytes(100, std::byte{'G'})) == 1);
  CHECK(pair.acceptor.state() == State::failed);
  CHECK(pair.acceptor.take_output().empty());
}

TEST_CASE("a hello of another version fails", "[auth]") {
  Pair pair;
  Bytes hello = pair.initiator.take_output();
  hello[2] = std::byte{99};
  pair.acceptor.feed(hello);
  CHECK(pair.acceptor.state() == State::failed);
}

TEST_CASE("secrets differ, and survive being written as text", "[auth]") {
  const Secret secret = make_secret();
  CHECK(secret != make_secret());
  CHECK(secret_from_hex(to_hex(secret)) == secret);
  const std::byte bytes[] = {std::byte{0x00}, std::byte{0xab}, std::byte{0xff}};
  CHECK(to_hex(bytes) == "00abff");
  CHECK(to_hex({}).empty());
}

TEST_CASE("a secret has exactly 64 hexadecimal digits", "[auth]") {
  const std::string good(64, 'a');
  CHECK(secret_from_hex(good)[31] == std::byte{0xaa});
  for (const std::string& bad : {std::string(), good.substr(1), good.substr(2), good + "a", good + "aa",
                                 good.substr(1) + "g", good.substr(1) + " ", "0x" + good.substr(2)}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(secret_from_hex(bad), UsageError);
  }
}
