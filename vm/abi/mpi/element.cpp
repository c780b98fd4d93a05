#include "vm/abi/mpi/element.hpp"

#include <array>

namespace nasvm::mpi {
namespace {

template <typename T, External external = External::same>
constexpr ElementFacts number() {
  return {sizeof(T), sizeof(T), sizeof(T), 0, 0, external};
}
template <typename T, External external = External::same>
constexpr ElementFacts complex() {
  return {sizeof(T), sizeof(T), sizeof(T) / 2, 0, 0, external};
}
template <typename T, External external = External::same>
constexpr ElementFacts located() {
  constexpr std::size_t second_at = sizeof(T) <= sizeof(int) ? sizeof(int) : sizeof(T);
  return {sizeof(T) + sizeof(int), sizeof(Located<T>), sizeof(T), second_at, sizeof(int), external};
}
template <typename T>
constexpr ElementFacts two() {
  return {sizeof(Two<T>), sizeof(Two<T>), sizeof(T), sizeof(T), sizeof(T), External::same};
}

constexpr std::array<ElementFacts, elements> facts{
    ElementFacts{},
    number<std::byte>(),
    number<std::byte>(),
    ElementFacts{},
    ElementFacts{},
    number<char>(),
    number<wchar_t, External::short_wide_character>(),
    number<bool>(),
    number<std::int8_t>(),
    number<std::int16_t>(),
    number<std::int32_t>(),
    number<std::int64_t>(),
    number<std::int8_t>(),
    number<std::int16_t>(),
    number<std::int32_t>(),
    number<std::int64_t>(),
    number<long, External::short_long>(),
    number<Int128>(),
    number<std::uint8_t>(),
    number<std::uint16_t>(),
    number<std::uint32_t>(),
    number<std::uint64_t>(),
    number<unsigned long, External::short_unsigned_long>(),
    number<std::int16_t>(),  // a half is only carried
    number<float>(),
    number<double>(),
    number<long double, External::quadruple>(),
    number<Float128>(),
    complex<std::complex<float>>(),
    complex<std::complex<double>>(),
    complex<std::complex<long double>, External::quadruple>(),
    complex<Complex128>(),
    located<float>(),
    located<double>(),
    located<long double, External::quadruple>(),
    located<std::int64_t, External::short_long>(),
    located<std::int16_t>(),
    two<std::int32_t>(),
    two<float>(),
    two<double>(),
    two<std::complex<float>>(),
    two<std::complex<double>>(),
};

}  // namespace

std::size_t external_bytes(External external, std::size_t bytes) {
  switch (external) {
    case External::short_long:
    case External::short_unsigned_long:
      return 4;
    case External::short_wide_character:
      return 2;
    default:
      return bytes;
  }
}

const ElementFacts& facts_of(Element element) { return facts[static_cast<std::size_t>(element)]; }

}  // namespace nasvm::mpi
