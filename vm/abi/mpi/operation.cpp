#include "vm/abi/mpi/operation.hpp"

#include <algorithm>
#include <vector>

#include "vm/abi/mpi/failure.hpp"
#include "vm/block_copy.hpp"

namespace nasvm::mpi {

/// What the combining functions of a reduction work with.
struct Work {
  const Op& op;
  Datatype& type;
};

namespace {

/// How many elements one of that type has.
std::size_t elements_in(const Datatype& type) { return type.bytes / facts_of(type.element).bytes; }

/// Do elements lie behind each other? Then operands are as far apart as the type says.
bool are_apart(const Datatype& type) { return type.extent() >= 0 && type.true_extent() <= type.extent(); }

const Work& work_of(const void* work) { return *static_cast<const Work*>(work); }

/// inout = in (op) inout
void combine_into(const void* self, std::byte* inout, const std::byte* in, std::size_t count) {
  const Work& work = work_of(self);
  Datatype& type = work.type;
  if (are_apart(type)) {
    return combine_local(work.op, type, in - type.lowest, inout - type.lowest, static_cast<std::ptrdiff_t>(count));
  }
  std::vector<std::byte> from(static_cast<std::size_t>(type.true_extent()));
  std::vector<std::byte> to(from.size());
  for (; count > 0; --count, in += type.bytes, inout += type.bytes) {
    unpack(type, from.data() - type.lowest, 1, {in, type.bytes});
    unpack(type, to.data() - type.lowest, 1, {inout, type.bytes});
    combine_local(work.op, type, from.data() - type.lowest, to.data() - type.lowest, 1);
    pack(type, to.data() - type.lowest, 1, inout);
  }
}

/// inout = inout (op) in
void combine_after(const void* self, std::byte* inout, const std::byte* in, std::size_t count) {
  const Work& work = work_of(self);
  if (work.op.commutative) return combine_into(self, inout, in, count);
  const std::size_t bytes = count * operand_bytes(work.type);
  std::vector<std::byte> upper(in, in + bytes);
  combine_into(self, upper.data(), inout, count);
  copy_bytes(inout, upper.data(), bytes);
}

}  // namespace

std::size_t operand_bytes(const Datatype& type) {
  return are_apart(type) ? static_cast<std::size_t>(type.extent()) : type.bytes;
}

void place_operands(const Datatype& type, const std::byte* operands, void* to, std::ptrdiff_t count) {
  if (are_apart(type)) return copy_elements(type, operands - type.lowest, to, count);
  unpack(type, to, count, {operands, operand_bytes(type) * static_cast<std::size_t>(count)});
}

void check_operation(const Op* op, const Datatype& type) {
  check_operation(op);
  if (!op->is_predefined()) return;
  require(type.element != Element::none && combine_of(number_in(op->word), type.element) != nullptr, err_op);
}

void combine_local(const Op& op, Datatype& type, const void* in, void* inout, std::ptrdiff_t count) {
  if (!op.is_predefined()) {
    // The program's function takes an int.
    constexpr std::ptrdiff_t most = std::ptrdiff_t{1} << 30;
    for (std::ptrdiff_t done = 0; done < count; done += most) {
      seam::call_operation(op.function, static_cast<const std::byte*>(in) + done * type.extent(),
                           static_cast<std::byte*>(inout) + done * type.extent(),
                           static_cast<int>(std::min(most, count - done)), type);
    }
    return;
  }
  const Combine combine = combine_of(number_in(op.word), type.element);
  const auto* from = static_cast<const std::byte*>(in);
  auto* to = static_cast<std::byte*>(inout);
  const std::size_t step = facts_of(type.element).extent;
  if (type.is_predefined() || (type.is_dense(count) && step == facts_of(type.element).bytes)) {
    const std::size_t all = elements_in(type) * static_cast<std::size_t>(count);
    return combine(from + type.lowest, to + type.lowest, all);
  }
  // The parts of a pair that differ in size are runs of their own; the first one is where the pair is.
  const ElementFacts& facts = facts_of(type.element);
  const bool is_split = facts.second_at != 0 && facts.part_bytes != facts.second_bytes;
  for (std::ptrdiff_t i = 0; i < count; ++i, from += type.extent(), to += type.extent()) {
    for (std::size_t at = 0; at < type.runs.size(); at += is_split ? 2 : 1) {
      const Run& run = type.runs[at];
      combine(from + run.at, to + run.at, is_split ? 1 : run.bytes / facts.bytes);
    }
  }
}

Reducible::Reducible(const Op& op, Datatype& type, std::ptrdiff_t count, const void* contribution, void* result,
                     Result wanted)
    : op_(op),
      type_(type),
      count_(count),
      result_(result),
      wanted_(wanted),
      work_(std::make_unique<Work>(Work{op, type})) {
  const std::size_t step = operand_bytes(type);
  const std::size_t span = step * static_cast<std::size_t>(count);
  const std::ptrdiff_t begin = type.lowest;
  // Whatever lies between data is the program's.
  const bool is_one_piece = type.runs.size() <= 1 && static_cast<std::size_t>(type.true_extent()) == step;
  is_copy_ = wanted == Result::elsewhere || !is_one_piece || type.lowest < type.lower || type.highest > type.upper;
  if (!is_copy_) {
    bytes_ = {static_cast<std::byte*>(result) + begin, span};
    if (contribution != result && span != 0)
      copy_bytes(bytes_.data(), static_cast<const std::byte*>(contribution) + begin, span);
  } else {
    copy_.resize(span);
    bytes_ = copy_;
    // Gaps travel along: they are nobody's, and only the data is copied back.
    if (are_apart(type)) copy_elements(type, contribution, copy_.data() - begin, count);
    else pack(type, contribution, count, copy_.data());
  }
  reduction_ = {step,         type.swap_bytes, op.commutative,     combine_after,
                combine_into, work_.get(),     ElementKind::other, OperationKind::other};
}

Reducible::~Reducible() = default;

void Reducible::finish() {
  if (is_copy_ && wanted_ == Result::here) place_operands(type_, copy_.data(), result_, count_);
}

void copy_elements(const Datatype& type, const void* from, void* to, std::ptrdiff_t count) {
  if (from == to || count <= 0 || type.bytes == 0) return;
  if (type.is_dense(count)) {
    copy_bytes(static_cast<std::byte*>(to) + type.lowest, static_cast<const std::byte*>(from) + type.lowest,
               type.bytes * static_cast<std::size_t>(count));
    return;
  }
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    for (const Run& run : type.runs) {
      const std::ptrdiff_t place = i * type.extent() + run.at;
      copy_bytes(static_cast<std::byte*>(to) + place, static_cast<const std::byte*>(from) + place, run.bytes);
    }
  }
}

}  // namespace nasvm::mpi
