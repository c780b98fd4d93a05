#include "vm/abi/mpi/datatype.hpp"

#include <algorithm>
#include <cstring>

#include "vm/abi/mpi/attributes.hpp"
#include "vm/block_copy.hpp"

namespace nasvm::mpi {

namespace {

Run run_of(std::size_t at, std::size_t bytes, std::size_t element_bytes, std::size_t part_bytes, External external) {
  return {static_cast<std::ptrdiff_t>(at), bytes, static_cast<std::uint8_t>(element_bytes),
          static_cast<std::uint8_t>(part_bytes), external};
}

}  // namespace

Datatype::Datatype(int number, Element of, std::string called)
    : Object(Kind::type, number), element(of), committed(true), name(std::move(called)) {
  const ElementFacts& facts = facts_of(of);
  bytes = facts.bytes;
  highest = static_cast<std::ptrdiff_t>(facts.second_at != 0 ? facts.second_at + facts.second_bytes : facts.bytes);
  upper = static_cast<std::ptrdiff_t>(facts.extent);
  swap_bytes = static_cast<std::uint8_t>(facts.part_bytes);
  has_upper_marker = of == Element::upper_bound;
  has_lower_marker = of == Element::lower_bound;
  if (bytes == 0) return;
  alignment = static_cast<std::uint8_t>(std::max(facts.part_bytes, facts.second_bytes));
  if (facts.second_at == 0) {
    runs = {run_of(0, bytes, bytes, facts.part_bytes, facts.external)};
  } else if (facts.part_bytes == facts.second_bytes) {
    runs = {run_of(0, bytes, facts.part_bytes, facts.part_bytes, facts.external)};
  } else {
    runs = {run_of(0, facts.part_bytes, facts.part_bytes, facts.part_bytes, facts.external),
            run_of(facts.second_at, facts.second_bytes, facts.second_bytes, facts.second_bytes, External::same)};
    swap_bytes = 1;
  }
}

Datatype::~Datatype() { drop_attributes(*this, attributes); }

std::size_t Datatype::span_of(std::ptrdiff_t count) const {
  if (count <= 0 || bytes == 0) return 0;
  return static_cast<std::size_t>(true_extent() + (count - 1) * std::max<std::ptrdiff_t>(extent(), -extent()));
}

// --- making
// ---------------------------------------------------------------------------------------------------------

/// What follows its forerunner directly becomes part of it.
void TypeBuilder::append(const Run& run) {
  if (!type_->runs.empty()) {
    Run& last = type_->runs.back();
    if (last.at + static_cast<std::ptrdiff_t>(last.bytes) == run.at && last.element_bytes == run.element_bytes &&
        last.part_bytes == run.part_bytes && last.external == run.external) {
      last.bytes += run.bytes;
      return;
    }
  }
  type_->runs.push_back(run);
}

void TypeBuilder::widen(const Datatype& part, std::ptrdiff_t at) {
  Datatype& type = *type_;
  if (part.bytes != 0) {
    type.lowest = has_data_ ? std::min(type.lowest, at + part.lowest) : at + part.lowest;
    type.highest = has_data_ ? std::max(type.highest, at + part.highest) : at + part.highest;
    has_data_ = true;
  }
  // Markers outdo bounds that only follow from data (MPI-3.1, 4.1.7).
  const auto take = [](std::ptrdiff_t& bound, bool& is_marked, bool marked, std::ptrdiff_t value, bool first,
                       const auto& choose) {
    if ((first || marked) && !is_marked) {
      bound = value;
    } else if (marked == is_marked) {
      bound = choose(bound, value);
    }
    is_marked = is_marked || marked;
  };
  const auto least = [](std::ptrdiff_t a, std::ptrdiff_t b) { return std::min(a, b); };
  const auto greatest = [](std::ptrdiff_t a, std::ptrdiff_t b) { return std::max(a, b); };
  // A bare marker says nothing of the other bound.
  const bool bare_upper = part.element == Element::upper_bound && part.is_predefined();
  const bool bare_lower = part.element == Element::lower_bound && part.is_predefined();
  if (!bare_upper)
    take(type.lower, type.has_lower_marker, part.has_lower_marker, at + part.lower, !has_bounds_, least);
  if (!bare_lower)
    take(type.upper, type.has_upper_marker, part.has_upper_marker, at + part.upper, !has_bounds_, greatest);
  if (!bare_upper && !bare_lower) has_bounds_ = true;
}

void TypeBuilder::add(const Datatype& part, std::ptrdiff_t at, std::ptrdiff_t count) {
  if (count <= 0) return;
  // Without data and markers it has no bounds.
  if (part.bytes == 0 && !part.has_lower_marker && !part.has_upper_marker) return;
  Datatype& type = *type_;
  widen(part, at);
  if (count > 1) widen(part, at + (count - 1) * part.extent());
  if (part.bytes == 0) return;
  type.alignment = std::max(type.alignment, part.alignment);
  std::ptrdiff_t bytes = 0;
  require(!__builtin_mul_overflow(static_cast<std::ptrdiff_t>(part.bytes), count, &bytes), err_count);
  require(!__builtin_add_overflow(static_cast<std::ptrdiff_t>(type.bytes), bytes, &bytes), err_count);
  type.bytes = static_cast<std::size_t>(bytes);
  const bool mixed = has_element_ && type.element != part.element;
  type.element = mixed ? Element::none : part.element;
  type.swap_bytes = has_element_ && type.swap_bytes != part.swap_bytes ? 1 : part.swap_bytes;
  has_element_ = true;
  if (part.runs.size() == 1 && static_cast<std::ptrdiff_t>(part.bytes) == part.extent()) {
    const Run& run = part.runs.front();
    return append(
        {at + run.at, run.bytes * static_cast<std::size_t>(count), run.element_bytes, run.part_bytes, run.external});
  }
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    for (Run run : part.runs) {
      run.at += at + i * part.extent();
      append(run);
    }
  }
}

void TypeBuilder::resize(std::ptrdiff_t lower, std::ptrdiff_t upper) {
  type_->lower = lower;
  type_->upper = upper;
  type_->has_lower_marker = type_->has_upper_marker = true;
}

Datatype* TypeBuilder::finish(Combiner combiner, std::vector<Datatype::Number> integers,
                              std::vector<Datatype::Number> addresses, const std::vector<Datatype*>& types) {
  Datatype& type = *type_;
  // Structs, and displacements in bytes, may have their last byte anywhere (MPI-3.1, 4.1.6).
  if (!type.has_upper_marker && type.extent() > 0) {
    type.upper += (type.alignment - type.extent() % type.alignment) % type.alignment;
  }
  type.combiner = combiner;
  type.integers = std::move(integers);
  type.addresses = std::move(addresses);
  for (Datatype* part : types) type.types.emplace_back(part);
  return type_.release();
}

// --- packing
// --------------------------------------------------------------------------------------------------------

namespace {

/// Compilers make moves of copies whose length they know.
inline void copy_short(std::byte* to, const std::byte* from, std::size_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 16:
      std::memcpy(to, from, 16);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace

void pack(const Datatype& type, const void* buffer, std::ptrdiff_t count, std::byte* packed) {
  const auto* from = static_cast<const std::byte*>(buffer);
  if (type.is_dense(count)) {
    if (count > 0 && type.bytes > 0)
      copy_bytes(packed, from + type.lowest, type.bytes * static_cast<std::size_t>(count));
    return;
  }
  for (std::ptrdiff_t i = 0; i < count; ++i, from += type.extent()) {
    for (const Run& run : type.runs) {
      copy_short(packed, from + run.at, run.bytes);
      packed += run.bytes;
    }
  }
}

void unpack(const Datatype& type, void* buffer, std::ptrdiff_t count, std::span<const std::byte> packed,
            std::size_t from) {
  auto* to = static_cast<std::byte*>(buffer);
  if (type.is_dense(count)) {
    if (!packed.empty()) copy_bytes(to + type.lowest + from, packed.data(), packed.size());
    return;
  }
  if (type.bytes == 0) return;
  to += static_cast<std::ptrdiff_t>(from / type.bytes) * type.extent();
  std::size_t skipped = from % type.bytes;
  for (std::ptrdiff_t i = 0; i < count && !packed.empty(); ++i, to += type.extent()) {
    for (const Run& run : type.runs) {
      if (skipped >= run.bytes) {
        skipped -= run.bytes;
        continue;
      }
      const std::size_t part = std::min(run.bytes - skipped, packed.size());
      if (part == 0) return;
      copy_short(to + run.at + skipped, packed.data(), part);
      packed = packed.subspan(part);
      skipped = 0;
    }
  }
}

std::ptrdiff_t whole_count(const Datatype& type, std::size_t bytes) {
  if (type.bytes == 0) return bytes == 0 ? 0 : undefined;
  return bytes % type.bytes == 0 ? static_cast<std::ptrdiff_t>(bytes / type.bytes) : undefined;
}

namespace {

std::size_t elements_in_one(const Datatype& type) {
  std::size_t count = 0;
  for (const Run& run : type.runs) count += run.bytes / run.element_bytes;
  return count;
}

}  // namespace

std::size_t bytes_of_elements(const Datatype& type, std::ptrdiff_t count) {
  require(count >= 0, err_count);
  const std::size_t in_one = elements_in_one(type);
  if (in_one == 0) return 0;
  std::size_t rest = static_cast<std::size_t>(count) % in_one;
  std::ptrdiff_t bytes = 0;
  const auto whole = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(count) / in_one);
  require(!__builtin_mul_overflow(whole, static_cast<std::ptrdiff_t>(type.bytes), &bytes), err_count);
  std::size_t of_rest = 0;
  for (const Run& run : type.runs) {
    const std::size_t part = std::min(rest, run.bytes / run.element_bytes);
    of_rest += part * run.element_bytes;
    rest -= part;
  }
  return static_cast<std::size_t>(bytes) + of_rest;
}

std::ptrdiff_t element_count(const Datatype& type, std::size_t bytes) {
  if (type.bytes == 0) return bytes == 0 ? 0 : undefined;
  const std::size_t in_one = elements_in_one(type);
  std::size_t count = bytes / type.bytes * in_one;
  std::size_t rest = bytes % type.bytes;
  for (const Run& run : type.runs) {
    const std::size_t part = std::min(rest, run.bytes);
    if (part % run.element_bytes != 0) return undefined;
    count += part / run.element_bytes;
    rest -= part;
  }
  return static_cast<std::ptrdiff_t>(count);
}

Outgoing::Outgoing(const void* buffer, std::ptrdiff_t count, const Datatype& type) {
  const std::size_t bytes = type.bytes * static_cast<std::size_t>(count);
  if (bytes == 0) return;
  if (type.is_dense(count)) {
    bytes_ = type.dense_span(buffer, count);
    return;
  }
  copy_.resize(bytes);
  pack(type, buffer, count, copy_.data());
  bytes_ = copy_;
}

Outgoing Outgoing::copy_of(const void* buffer, std::ptrdiff_t count, const Datatype& type) {
  Outgoing out(buffer, count, type);
  if (out.copy_.empty()) out.copy_.assign(out.bytes_.begin(), out.bytes_.end());
  out.bytes_ = out.copy_;
  return out;
}

Incoming::Incoming(void* buffer, std::ptrdiff_t count, const Datatype& type)
    : type_(&type), buffer_(buffer), count_(count) {
  const std::size_t bytes = type.bytes * static_cast<std::size_t>(count);
  if (bytes == 0) return;
  is_copy_ = !type.is_dense(count);
  if (!is_copy_) {
    bytes_ = type.dense_span(buffer, count);
    return;
  }
  copy_.resize(bytes);
  bytes_ = copy_;
}

void Incoming::finish(std::size_t received) {
  if (is_copy_) unpack(*type_, buffer_, count_, bytes_.first(std::min(received, bytes_.size())));
}

void Incoming::fill() {
  if (is_copy_) pack(*type_, buffer_, count_, copy_.data());
}

}  // namespace nasvm::mpi
