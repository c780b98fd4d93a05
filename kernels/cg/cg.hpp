#pragma once
/// \file
/// Kernel CG.

#include "kernels/kernel.hpp"

namespace nasvm::cg {

extern const Kernel kernel;

}  // namespace nasvm::cg
