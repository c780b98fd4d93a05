#pragma once
/// \file
/// Typed packing, as in PVM: values go into a buffer one after the other, each with its type and count, and come out
/// in the same order. Unpacking another type or count than was packed is an error, not garbage; a buffer from a host
/// of the other byte order is converted on the way out ("receiver makes right").
/// Source: Dunigan and Hall, PVM and IP Multicast, section 3.1.1.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/comm.hpp"

namespace nasvm {

class PackBuffer {
 public:
  PackBuffer();
  /// A received buffer. Throws RunError when it was not made by a PackBuffer.
  explicit PackBuffer(std::vector<std::byte> bytes);

  template <Buffer B>
  PackBuffer& pack(const B& values) {
    using T = std::remove_cv_t<std::ranges::range_value_t<B>>;
    append(type_code<T>(), std::ranges::size(values),
           std::as_bytes(std::span(std::ranges::data(values), std::ranges::size(values))));
    return *this;
  }
  template <Element T>
  PackBuffer& pack_value(T value) {
    return pack(std::span<const T>(&value, 1));
  }
  PackBuffer& pack_text(std::string_view text) { return pack(std::span(text.data(), text.size())); }

  /// Fills `values`; as many as were packed together.
  template <Buffer B>
  void unpack(B&& values) {
    using T = std::remove_cv_t<std::ranges::range_value_t<B>>;
    extract(type_code<T>(), std::ranges::size(values),
            std::as_writable_bytes(std::span(std::ranges::data(values), std::ranges::size(values))),
            element_bytes_of<T>);
  }
  template <Element T>
  [[nodiscard]] T unpack_value() {
    T value{};
    unpack(std::span<T>(&value, 1));
    return value;
  }
  [[nodiscard]] std::string unpack_text();
  /// How many values the next item has; 0 at the end.
  [[nodiscard]] std::size_t next_count() const;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  /// Kind (integer, unsigned, floating, complex) in the high half, bytes of a value in the low half. `char` is an
  /// integer whether or not the processor gives it a sign.
  template <typename T>
  static constexpr std::uint8_t type_code() {
    constexpr std::uint8_t bytes = sizeof(T) > 15 ? 15 : sizeof(T);
    if constexpr (IsComplex<T>::value) return 0x40 | bytes;
    else if constexpr (std::is_floating_point_v<T>) return 0x30 | bytes;
    else if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, char>) return 0x20 | bytes;
    else return 0x10 | bytes;
  }
  void append(std::uint8_t type, std::size_t count, std::span<const std::byte> values);
  void extract(std::uint8_t type, std::size_t count, std::span<std::byte> values, std::size_t element_bytes);

  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
  bool foreign_order_ = false;
};

}  // namespace nasvm
