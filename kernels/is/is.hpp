#pragma once
/// \file
/// Kernel IS.

#include "kernels/kernel.hpp"

namespace nasvm::is {

extern const Kernel kernel;

}  // namespace nasvm::is
