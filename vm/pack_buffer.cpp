#include "vm/pack_buffer.hpp"

#include <cstring>

#include "vm/block_copy.hpp"
#include "vm/message.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

// A buffer: one byte with the packer's byte order, then items: type (1), count (8, packer's order), values.
constexpr std::size_t item_head_bytes = 1 + sizeof(std::uint64_t);

/// "3 int": the values of an item by their type code (PackBuffer::type_code).
std::string described(std::size_t count, std::uint8_t type) {
  const auto name = [type]() -> std::string {
    switch (type) {
      case 0x11:
        return "char";
      case 0x12:
        return "short";
      case 0x14:
        return "int";
      case 0x18:
        return "long";
      case 0x21:
        return "unsigned char";
      case 0x22:
        return "unsigned short";
      case 0x24:
        return "unsigned int";
      case 0x28:
        return "unsigned long";
      case 0x34:
        return "float";
      case 0x38:
        return "double";
      case 0x48:
        return "complex<float>";
      default:
        if (type >> 4 == 4) return "complex<double>";
        return type >> 4 == 3 ? "long double" : "of type " + std::to_string(type);
    }
  };
  return std::to_string(count) + " " + name();
}

}  // namespace

PackBuffer::PackBuffer() : bytes_{std::byte{Envelope::native_order}}, at_(1) {}

PackBuffer::PackBuffer(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), at_(1) {
  if (bytes_.empty() || std::to_integer<int>(bytes_[0]) > 1) {
    throw RunError("the message was not packed: receive it with frecv");
  }
  foreign_order_ = std::to_integer<std::uint8_t>(bytes_[0]) != Envelope::native_order;
}

void PackBuffer::append(std::uint8_t type, std::size_t count, std::span<const std::byte> values) {
  const std::uint64_t wide_count = count;
  const auto count_bytes = std::as_bytes(std::span(&wide_count, 1));
  bytes_.push_back(std::byte{type});
  bytes_.insert(bytes_.end(), count_bytes.begin(), count_bytes.end());
  bytes_.insert(bytes_.end(), values.begin(), values.end());
}

std::size_t PackBuffer::next_count() const {
  if (at_ == bytes_.size()) return 0;
  if (bytes_.size() - at_ < item_head_bytes) throw RunError("a packed message is cut short");
  std::uint64_t count = 0;
  std::memcpy(&count, &bytes_[at_ + 1], sizeof count);
  if (foreign_order_) swap_elements(std::as_writable_bytes(std::span(&count, 1)), sizeof count);
  return count;
}

void PackBuffer::extract(std::uint8_t type, std::size_t count, std::span<std::byte> values,
                         std::size_t element_bytes) {
  const std::size_t packed = next_count();
  if (at_ == bytes_.size()) throw RunError("unpacking: wanted " + described(count, type) + ", and there is no more");
  const auto packed_type = std::to_integer<std::uint8_t>(bytes_[at_]);
  if (packed != count || packed_type != type) {
    throw RunError("unpacking: wanted " + described(count, type) + ", next are " + described(packed, packed_type));
  }
  at_ += item_head_bytes;
  if (bytes_.size() - at_ < values.size()) throw RunError("a packed message is cut short");
  copy_bytes(values.data(), bytes_.data() + at_, values.size());
  if (foreign_order_) swap_elements(values, element_bytes);
  at_ += values.size();
}

std::string PackBuffer::unpack_text() {
  const std::size_t count = next_count();
  if (count > bytes_.size() - at_) throw RunError("a packed message is cut short");
  std::string text(count, '\0');
  unpack(std::span(text.data(), text.size()));
  return text;
}

}  // namespace nasvm
