#pragma once
/// \file
/// Attributes: values that programs hang on communicators and datatypes under a keyval, with functions that copy and
/// delete them (MPI-3.1, section 6.7).

#include "vm/abi/mpi/datatype.hpp"
#include "vm/abi/mpi/seam.hpp"

namespace nasvm::mpi {

/// A new keyval for holders of that kind.
int create_keyval(Kind holder, const UserFunction& copy, const UserFunction& remove, void* extra_state);
/// It goes when the last attribute under it has gone.
void free_keyval(Kind holder, int keyval);
/// The attribute's value; nullptr: there is none.
AttributeValue* find_attribute(Attributes& attributes, int keyval);
/// Fails where there is none of that kind.
void check_keyval(Kind holder, int keyval);

/// Replaces what was there, which is deleted.
template <typename Holder>
void set_attribute(Holder& holder, Attributes& attributes, int keyval, AttributeValue value);
template <typename Holder>
void delete_attribute(Holder& holder, Attributes& attributes, int keyval);
/// What the copying functions say of each, for a duplicate. Where one fails, the duplicate is left with none.
template <typename Holder>
void copy_attributes(Holder& from, Holder& to);
/// Those of a holder that goes, the last one first.
template <typename Holder>
void drop_attributes(Holder& holder, Attributes& attributes);

/// MPI_Comm_set_attr, MPI_Comm_get_attr (nullptr: there is none) and those of datatypes, with values of either
/// language.
void set_attribute_under(Communicator* comm, int keyval, AttributeValue value);
void set_attribute_under(Datatype* type, int keyval, AttributeValue value);
[[nodiscard]] AttributeValue* attribute_under(Communicator* comm, int keyval);
[[nodiscard]] AttributeValue* attribute_under(Datatype* type, int keyval);

}  // namespace nasvm::mpi
