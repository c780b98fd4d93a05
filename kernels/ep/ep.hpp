#pragma once
/// \file
/// Kernel EP.

#include "kernels/kernel.hpp"

namespace nasvm::ep {

extern const Kernel kernel;

}  // namespace nasvm::ep
