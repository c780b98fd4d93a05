#include "vm/abi/mpi/attributes.hpp"

#include <algorithm>
#include <map>

#include "vm/abi/mpi/communicator.hpp"
#include "vm/abi/mpi/failure.hpp"

namespace nasvm::mpi {
namespace {

struct Keyval {
  Kind holder = Kind::none;
  UserFunction copy;
  UserFunction remove;
  void* extra_state = nullptr;
  bool is_freed = false;
  int uses = 0;  ///< attributes under it
};

std::map<int, Keyval>& keyvals() {
  static auto& table = *new std::map<int, Keyval>;  // objects that outlive everything still ask for theirs
  return table;
}

Keyval& keyval_of(int keyval) { return keyvals().at(keyval); }

void add(Attributes& attributes, int keyval, void* value) {
  attributes.emplace_back(keyval, value);
  ++keyval_of(keyval).uses;
}

void drop_if_unused(int keyval) {
  const Keyval& entry = keyval_of(keyval);
  if (entry.is_freed && entry.uses == 0) keyvals().erase(keyval);
}

void erase(Attributes& attributes, int keyval) {
  std::erase_if(attributes, [&](const auto& attribute) { return attribute.first == keyval; });
  --keyval_of(keyval).uses;
  drop_if_unused(keyval);
}

template <typename Holder>
void call_remove(Holder& holder, int keyval, void* value) {
  const Keyval& entry = keyval_of(keyval);
  if (entry.remove.function == nullptr) return;
  const int code = seam::call_delete(entry.remove, holder, keyval, value, entry.extra_state);
  if (code != success) fail(code);
}

}  // namespace

int create_keyval(Kind holder, const UserFunction& copy, const UserFunction& remove, void* extra_state) {
  static int next = first_user_keyval;
  keyvals()[next] = {holder, copy, remove, extra_state, false, 0};
  return next++;
}

void check_keyval(Kind holder, int keyval) {
  const auto found = keyvals().find(keyval);
  require(found != keyvals().end() && found->second.holder == holder, err_keyval);
}

void free_keyval(Kind holder, int keyval) {
  check_keyval(holder, keyval);
  keyvals()[keyval].is_freed = true;
  drop_if_unused(keyval);
}

void** find_attribute(Attributes& attributes, int keyval) {
  const auto found = std::ranges::find(attributes, keyval, &Attributes::value_type::first);
  return found != attributes.end() ? &found->second : nullptr;
}

template <typename Holder>
void set_attribute(Holder& holder, Attributes& attributes, int keyval, void* value) {
  if (find_attribute(attributes, keyval) == nullptr) return add(attributes, keyval, value);
  call_remove(holder, keyval, *find_attribute(attributes, keyval));
  // That function was the program's: it may have changed the attributes.
  if (void** const found = find_attribute(attributes, keyval)) *found = value;
  else add(attributes, keyval, value);
}

template <typename Holder>
void delete_attribute(Holder& holder, Attributes& attributes, int keyval) {
  void** const found = find_attribute(attributes, keyval);
  require(found != nullptr, err_keyval);
  call_remove(holder, keyval, *found);
  erase(attributes, keyval);
}

template <typename Holder>
Attributes copied_attributes(Holder& holder, const Attributes& attributes) {
  Attributes copies;
  for (const auto& [keyval, value] : attributes) {
    const Keyval& entry = keyval_of(keyval);
    if (entry.copy.function == nullptr) continue;
    const seam::Copied copied = seam::call_copy(entry.copy, holder, keyval, entry.extra_state, value);
    if (copied.code != success) fail(copied.code);
    if (copied.wanted) add(copies, keyval, copied.value);
  }
  return copies;
}

template <typename Holder>
void drop_attributes(Holder& holder, Attributes& attributes) {
  while (!attributes.empty()) {
    const auto [keyval, value] = attributes.back();
    call_remove(holder, keyval, value);  // where it fails, the attribute stays
    erase(attributes, keyval);
  }
}

template void set_attribute(Communicator&, Attributes&, int, void*);
template void set_attribute(Datatype&, Attributes&, int, void*);
template void delete_attribute(Communicator&, Attributes&, int);
template void delete_attribute(Datatype&, Attributes&, int);
template Attributes copied_attributes(Communicator&, const Attributes&);
template Attributes copied_attributes(Datatype&, const Attributes&);
template void drop_attributes(Communicator&, Attributes&);
template void drop_attributes(Datatype&, Attributes&);

}  // namespace nasvm::mpi
