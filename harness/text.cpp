#include "harness/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

namespace nasvm {
namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

/// Bytes of the sign of UTF-8 at the beginning of a text that XML may hold (Unicode, table 3-7); 0: there is none.
std::size_t sign_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  if (byte(0) < 0xc2 || byte(0) > 0xf4) return 0;
  const std::size_t count = byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (text.size() < count) return 0;
  std::uint32_t code = byte(0) & (0x7fU >> count);
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  const bool is_sign = code >= least[count] && code <= 0x10ffff && !is_surrogate && (code & 0xfffeU) != 0xfffeU;
  return is_sign ? count : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // In UTF-8 these are two bytes; terminals obey them as well.
    const bool is_c1 = c == 0xc2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    if (c == '\n') safe += "\\n";
    else if (c == '\t') safe += "\\t";
    else if (is_control(c)) safe += fmt::format("\\x{:02x}", c);
    else if (is_c1) safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[++i]));
    else safe += text[i];
  }
  return safe;
}

std::string xml_escaped(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t bytes = sign_bytes(text);
    if (bytes == 0) safe += "\xef\xbf\xbd";
    else if (c == '&') safe += "&amp;";
    else if (c == '<') safe += "&lt;";
    else if (c == '>') safe += "&gt;";
    else if (c == '"') safe += "&quot;";
    else if (is_control(static_cast<unsigned char>(c))) safe += ' ';
    else safe += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return safe;
}

}  // namespace nasvm
