#pragma once
/// \file
/// Attributes: values that programs hang on communicators and datatypes under a keyval, with functions that copy and
/// delete them (MPI-3.1, section 6.7).

#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/seam.hpp"

namespace nasvm::mpi {

/// A new keyval for holders of that kind.
int create_keyval(Kind holder, const UserFunction& copy, const UserFunction& remove, void* extra_state);
/// Nobody can use it any more; attributes under it stay as long as their holders.
void free_keyval(Kind holder, int keyval);
/// Fails where there is none of that kind.
void check_keyval(Kind holder, int keyval);

/// Replaces what was there, which is deleted.
template <typename Holder>
void set_attribute(Holder& holder, Attributes& attributes, int keyval, void* value);
template <typename Holder>
void delete_attribute(Holder& holder, Attributes& attributes, int keyval);
/// What the copying functions say of each.
template <typename Holder>
Attributes copied_attributes(Holder& holder, const Attributes& attributes);
/// Those of a holder that goes.
template <typename Holder>
void drop_attributes(Holder& holder, Attributes& attributes);

}  // namespace nasvm::mpi
