#include "vm/auth.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::uint8_t version = 1;

void require_sodium() {
  static const int result = sodium_init();
  if (result < 0) throw RunError("libsodium cannot be initialised: no source of random numbers?");
}

unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }

void put_u32(std::byte* to, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(value >> 8 * i);
}

std::uint32_t get_u32(const std::byte* from) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::to_integer<std::uint32_t>(from[i]) << 8 * i;
  return value;
}

// A message: "nv" version role, identity (4), nonce (16), proof (32).
constexpr std::size_t identity_at = 4, nonce_at = 8, proof_at = 24;

}  // namespace

Secret make_secret() {
  require_sodium();
  Secret secret;
  randombytes_buf(secret.data(), secret.size());
  return secret;
}

std::string to_hex(std::span<const std::byte> bytes) {
  std::string hex(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), raw(bytes.data()), bytes.size());
  hex.pop_back();
  return hex;
}

Secret secret_from_hex(std::string_view hex) {
  Secret secret;
  std::size_t length = 0;
  if (sodium_hex2bin(raw(secret.data()), secret.size(), hex.data(), hex.size(), nullptr, &length, nullptr) != 0 ||
      length != secret.size() || hex.size() != 2 * secret.size()) {
    throw UsageError("the machine's secret must have 64 hexadecimal digits");
  }
  return secret;
}

Handshake::Handshake(const Secret& secret, Role role, std::uint32_t self, std::uint32_t context,
                     std::uint32_t acceptor)
    : secret_(secret), role_(role), self_(self), context_(context) {
  require_sodium();
  if (role_ != Role::initiator) return;
  randombytes_buf(own_nonce_.data(), own_nonce_.size());
  send_message(hello_proof(self_, acceptor, own_nonce_));
}

/// Only who has the secret can say hello at all, in whosever name, and to this acceptor. (The later proofs, over the
/// other side's nonce too, tell that it was not said before and recorded.)
Handshake::Proof Handshake::hello_proof(std::uint32_t initiator, std::uint32_t acceptor, const Nonce& nonce) const {
  std::array<std::byte, 13 + sizeof(Nonce)> text{std::byte{0}};
  put_u32(&text[1], context_);
  put_u32(&text[5], initiator);
  put_u32(&text[9], acceptor);
  std::ranges::copy(nonce, text.begin() + 13);
  return keyed_hash(text);
}

Handshake::Proof Handshake::keyed_hash(std::span<const std::byte> text) const {
  Proof proof;
  crypto_generichash(raw(proof.data()), proof.size(), raw(text.data()), text.size(), raw(secret_.data()),
                     secret_.size());
  return proof;
}

Handshake::Proof Handshake::proof_of(Role role) const {
  const bool initiator = role_ == Role::initiator;
  std::array<std::byte, 13 + 2 * sizeof(Nonce)> text;
  text[0] = static_cast<std::byte>(role);
  put_u32(&text[1], context_);
  put_u32(&text[5], initiator ? self_ : peer_);
  put_u32(&text[9], initiator ? peer_ : self_);
  std::ranges::copy(initiator ? own_nonce_ : peer_nonce_, text.begin() + 13);
  std::ranges::copy(initiator ? peer_nonce_ : own_nonce_, text.begin() + 13 + sizeof(Nonce));
  return keyed_hash(text);
}

void Handshake::send_message(const Proof& proof) {
  std::array<std::byte, message_bytes> message{std::byte{'n'}, std::byte{'v'}, std::byte{version},
                                               static_cast<std::byte>(role_)};
  put_u32(&message[identity_at], self_);
  std::ranges::copy(own_nonce_, &message[nonce_at]);
  std::ranges::copy(proof, &message[proof_at]);
  output_.insert(output_.end(), message.begin(), message.end());
}

bool Handshake::same(const Proof& expected, std::span<const std::byte> given) {
  return sodium_memcmp(expected.data(), given.data(), sizeof(Proof)) == 0;
}

std::size_t Handshake::feed(std::span<const std::byte> input) {
  std::size_t used = 0;
  while (state_ == State::pending && used < input.size()) {
    const std::size_t piece = std::min(message_bytes - input_.size(), input.size() - used);
    input_.insert(input_.end(), input.begin() + static_cast<std::ptrdiff_t>(used),
                  input.begin() + static_cast<std::ptrdiff_t>(used + piece));
    used += piece;
    if (input_.size() == message_bytes) {
      handle_message();
      input_.clear();
    }
  }
  return used;
}

void Handshake::handle_message() {
  const Role other = role_ == Role::initiator ? Role::acceptor : Role::initiator;
  if (input_[0] != std::byte{'n'} || input_[1] != std::byte{'v'} || input_[2] != std::byte{version} ||
      input_[3] != static_cast<std::byte>(other) || (peer_known_ && get_u32(&input_[identity_at]) != peer_)) {
    state_ = State::failed;
    return;
  }
  const auto proof = std::span(input_).subspan(proof_at, sizeof(Proof));
  if (!peer_known_) {
    peer_ = get_u32(&input_[identity_at]);
    std::copy_n(&input_[nonce_at], sizeof(Nonce), peer_nonce_.begin());
    if (role_ == Role::acceptor) {
      peer_known_ = same(hello_proof(peer_, self_, peer_nonce_), proof);
      if (!peer_known_) {
        state_ = State::failed;
      } else {
        randombytes_buf(own_nonce_.data(), own_nonce_.size());
        send_message(proof_of(Role::acceptor));
      }
      return;
    }
    peer_known_ = true;
  }
  if (!same(proof_of(other), proof)) {
    state_ = State::failed;
    return;
  }
  if (role_ == Role::initiator) send_message(proof_of(Role::initiator));
  state_ = State::done;
}

std::vector<std::byte> Handshake::take_output() { return std::exchange(output_, {}); }

}  // namespace nasvm
