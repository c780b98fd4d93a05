#include "vm/abi/launch/words.hpp"

#include <charconv>
#include <span>

#include "vm/auth.hpp"

namespace nasvm::abi {
namespace {

constexpr std::string_view mark = "nasvm-task ";
constexpr std::string_view kinds = "hsxwnfrbcpouqev";

std::optional<std::string> from_hex(std::string_view hex) {
  std::string text;
  if (hex.size() % 2 != 0) return {};
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    int byte = 0;
    const auto [end, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    if (error != std::errc() || end != hex.data() + i + 2) return {};
    text += static_cast<char>(byte);
  }
  return text;
}

}  // namespace

std::string packet_of(const Word& word) {
  return std::to_string(word.rank) + " " + static_cast<char>(word.kind) + " " + word.text;
}

std::optional<Word> word_in_packet(std::string_view packet) {
  Word word;
  const char* const last = packet.data() + packet.size();
  const auto [end, error] = std::from_chars(packet.data(), last, word.rank);
  if (error != std::errc() || last - end < 3 || end[0] != ' ' || end[2] != ' ') return {};
  if (word.rank < 0 || kinds.find(end[1]) == std::string_view::npos) return {};
  word.kind = static_cast<Word::Kind>(end[1]);
  word.text.assign(end + 3, last);
  return word;
}

std::string remark_of(const Word& word) {
  return std::string(mark) + packet_of({word.rank, word.kind, to_hex(std::as_bytes(std::span(word.text)))});
}

std::optional<Word> word_in_remark(std::string_view line) {
  if (!line.starts_with(mark)) return {};
  std::string packet(line.substr(mark.size()));
  if (!packet.empty() && packet.find(' ') == packet.rfind(' ')) packet += ' ';  // the blank at a line's end was cut
  std::optional<Word> word = word_in_packet(packet);
  if (!word.has_value()) return {};
  std::optional<std::string> text = from_hex(word->text);
  if (!text.has_value()) return {};
  word->text = std::move(*text);
  return word;
}

}  // namespace nasvm::abi
