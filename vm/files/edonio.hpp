#pragma once
/// \file
/// The C interface (nasvm/edonio.h) in a C++ program that is a task already.

#include "vm/files/session.hpp"

namespace nasvm::files {

/// do_nio will use this task, and this service where there is one. Both outlive `detach`, or all files.
void attach(Task& task, service::Service* service = nullptr);
/// Ends what do_nio has begun. Files that are open lose what was not flushed.
void detach();

}  // namespace nasvm::files
