#pragma once
/// \file
/// The C interface (nasvm/edonio.h) in a C++ program that is a task already.

#include "vm/files/session.hpp"

namespace nasvm::files {

/// do_nio will use this task, and this service where there is one. Both outlive `detach`. A program that ends without
/// `detach` loses what was not flushed; with the parameter `thread`, which goes on, it has to call it.
void attach(Task& task, service::Service* service = nullptr);
/// Ends what do_nio has begun. Files that are open lose what was not flushed.
void detach();

}  // namespace nasvm::files
