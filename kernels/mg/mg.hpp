#pragma once
/// \file
/// Kernel MG.

#include "kernels/kernel.hpp"

namespace nasvm::mg {

extern const Kernel kernel;

}  // namespace nasvm::mg
