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

void add(Attributes& attributes, int keyval, AttributeValue value) {
  attributes.push_back({keyval, value});
  ++keyval_of(keyval).uses;
}

void drop_if_unused(int keyval) {
  const Keyval& entry = keyval_of(keyval);
  if (entry.is_freed && entry.uses == 0) keyvals().erase(keyval);
}

void erase(Attributes& attributes, int keyval) {
  std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.keyval == keyval; });
  --keyval_of(keyval).uses;
  drop_if_unused(keyval);
}

void check(int code) {
  if (code != success) fail(code);
}

/// Calls the function that deletes a value, if there is one. Returns what that says.
template <typename Holder>
int call_remove(Holder& holder, int keyval, AttributeValue& value) {
  const Keyval& entry = keyval_of(keyval);
  if (entry.remove.function == nullptr) return success;
  return seam::call_delete(entry.remove, holder, keyval, value, entry.extra_state);
}

/// Those of a duplicate that comes to nothing; another error is told already.
template <typename Holder>
void discard_attributes(Holder& holder) {
  while (!holder.attributes.empty()) {
    const int keyval = holder.attributes.back().keyval;
    (void)call_remove(holder, keyval, holder.attributes.back().value);
    erase(holder.attributes, keyval);
  }
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

AttributeValue* find_attribute(Attributes& attributes, int keyval) {
  const auto found = std::ranges::find(attributes, keyval, &Attribute::keyval);
  return found != attributes.end() ? &found->value : nullptr;
}

template <typename Holder>
void set_attribute(Holder& holder, Attributes& attributes, int keyval, AttributeValue value) {
  AttributeValue* const before = find_attribute(attributes, keyval);
  if (before == nullptr) return add(attributes, keyval, value);
  check(call_remove(holder, keyval, *before));
  // That function was the program's: it may have changed the attributes.
  const auto found = std::ranges::find(attributes, keyval, &Attribute::keyval);
  if (found == attributes.end()) return add(attributes, keyval, value);
  found->value = value;
  attributes.splice(attributes.end(), attributes, found);  // as if it had been deleted and set anew
}

template <typename Holder>
void delete_attribute(Holder& holder, Attributes& attributes, int keyval) {
  AttributeValue* const found = find_attribute(attributes, keyval);
  require(found != nullptr, err_keyval);
  check(call_remove(holder, keyval, *found));
  erase(attributes, keyval);
}

template <typename Holder>
void copy_attributes(Holder& from, Holder& to) {
  for (auto& [keyval, value] : from.attributes) {
    const Keyval& entry = keyval_of(keyval);
    if (entry.copy.function == nullptr) continue;
    const seam::Copied copied = seam::call_copy(entry.copy, from, keyval, entry.extra_state, value);
    if (copied.code != success) {
      discard_attributes(to);
      fail(copied.code);
    }
    if (copied.wanted) add(to.attributes, keyval, copied.value);
  }
}

template <typename Holder>
void drop_attributes(Holder& holder, Attributes& attributes) {
  while (!attributes.empty()) {
    const int keyval = attributes.back().keyval;
    check(call_remove(holder, keyval, attributes.back().value));  // where it fails, the attribute stays
    erase(attributes, keyval);
  }
}

template void set_attribute(Communicator&, Attributes&, int, AttributeValue);
template void set_attribute(Datatype&, Attributes&, int, AttributeValue);
template void delete_attribute(Communicator&, Attributes&, int);
template void delete_attribute(Datatype&, Attributes&, int);
template void copy_attributes(Communicator&, Communicator&);
template void copy_attributes(Datatype&, Datatype&);
template void drop_attributes(Communicator&, Attributes&);
template void drop_attributes(Datatype&, Attributes&);

}  // namespace nasvm::mpi
