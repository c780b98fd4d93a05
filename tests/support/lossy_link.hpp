#pragma once
/// \file
/// Lossy paths in virtual time for the tests of protocols: those of the lab.

#include "lab/lossy_link.hpp"

namespace nasvm::test {

using lab::LossyLink;

}  // namespace nasvm::test
