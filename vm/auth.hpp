#pragma once
/// \file
/// The machine's secret, and the mutual proof of it with which every connection begins.
///
/// The secret is made by the console at start, travels to daemons and tasks through pipes and sockets that only
/// they hold, and never appears on a command line, in the environment or in a file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

using Secret = std::array<std::byte, 32>;

Secret make_secret();
std::string to_hex(std::span<const std::byte> bytes);
/// Throws UsageError unless `hex` has exactly 64 hexadecimal digits.
Secret secret_from_hex(std::string_view hex);

/// Three fixed-size messages over a fresh stream, after which each side knows that the other has the secret and
/// which identity it claims: hello, challenge, proof. Each carries its sender's nonce and a keyed hash; already a
/// hello cannot be made without the secret. No sockets: bytes in, bytes out.
/// Proofs are keyed BLAKE2b over role, both identities and both nonces (libsodium's crypto_generichash).
class Handshake {
 public:
  enum class Role : std::uint8_t { initiator = 1, acceptor = 2 };
  enum class State { pending, done, failed };
  static constexpr std::size_t message_bytes = 56;

  /// `self`: what this side calls itself; `context` keeps connections of different purposes apart.
  /// An initiator knows whom it means to reach: `acceptor`.
  Handshake(const Secret& secret, Role role, std::uint32_t self, std::uint32_t context, std::uint32_t acceptor = 0);

  /// Takes what has arrived; returns how many bytes of it were used. Bytes after the handshake are left.
  std::size_t feed(std::span<const std::byte> input);
  /// What is to be sent now; empties it.
  std::vector<std::byte> take_output();

  [[nodiscard]] State state() const { return state_; }
  /// True once the peer has said who it is (fresh, and so proven, only when `done`).
  [[nodiscard]] bool peer_known() const { return peer_known_; }
  [[nodiscard]] std::uint32_t peer() const { return peer_; }

 private:
  using Nonce = std::array<std::byte, 16>;
  using Proof = std::array<std::byte, 32>;

  void handle_message();
  void send_message(const Proof& proof);
  [[nodiscard]] Proof proof_of(Role role) const;
  [[nodiscard]] Proof hello_proof(std::uint32_t initiator, std::uint32_t acceptor, const Nonce& nonce) const;
  [[nodiscard]] Proof keyed_hash(std::span<const std::byte> text) const;
  static bool same(const Proof& expected, std::span<const std::byte> given);

  Secret secret_;
  Role role_;
  std::uint32_t self_;
  std::uint32_t context_;
  std::uint32_t peer_ = 0;
  bool peer_known_ = false;
  State state_ = State::pending;
  Nonce own_nonce_{};
  Nonce peer_nonce_{};
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

}  // namespace nasvm
