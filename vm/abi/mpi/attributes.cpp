#include "vm/abi/mpi/attributes.hpp"

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
};

std::map<int, Keyval>& keyvals() {
  static auto& table = *new std::map<int, Keyval>;  // objects that outlive everything still ask for theirs
  return table;
}

const Keyval& keyval_of(int keyval) { return keyvals().at(keyval); }

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
  keyvals()[next] = {holder, copy, remove, extra_state, false};
  return next++;
}

void check_keyval(Kind holder, int keyval) {
  const auto found = keyvals().find(keyval);
  require(found != keyvals().end() && found->second.holder == holder && !found->second.is_freed, err_keyval);
}

void free_keyval(Kind holder, int keyval) {
  check_keyval(holder, keyval);
  keyvals()[keyval].is_freed = true;
}

template <typename Holder>
void set_attribute(Holder& holder, Attributes& attributes, int keyval, void* value) {
  const auto found = attributes.find(keyval);
  if (found != attributes.end()) call_remove(holder, keyval, found->second);
  attributes[keyval] = value;
}

template <typename Holder>
void delete_attribute(Holder& holder, Attributes& attributes, int keyval) {
  const auto found = attributes.find(keyval);
  require(found != attributes.end(), err_keyval);
  call_remove(holder, keyval, found->second);
  attributes.erase(keyval);
}

template <typename Holder>
Attributes copied_attributes(Holder& holder, const Attributes& attributes) {
  Attributes copies;
  for (const auto& [keyval, value] : attributes) {
    const Keyval& entry = keyval_of(keyval);
    if (entry.copy.function == nullptr) continue;
    const seam::Copied copied = seam::call_copy(entry.copy, holder, keyval, entry.extra_state, value);
    if (copied.code != success) fail(copied.code);
    if (copied.wanted) copies[keyval] = copied.value;
  }
  return copies;
}

template <typename Holder>
void drop_attributes(Holder& holder, Attributes& attributes) {
  while (!attributes.empty()) {
    const auto last = std::prev(attributes.end());
    call_remove(holder, last->first, last->second);  // where it fails, the attribute stays
    attributes.erase(last);
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
