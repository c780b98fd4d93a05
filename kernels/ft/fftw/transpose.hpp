#pragma once
/// \file
/// The transpose: moves the distributed grid between the space layout and the frequency layout.
///
/// One alltoallv; both layouts hold each pair's block contiguous, so there is nothing to pack. Task s sends to
/// task r the 16 nx z_s y_r bytes that are in its planes and in r's rows; empty blocks are not sent. Collective;
/// blocks until this task's part has arrived. Cost of one: see transpose_cost in cost.hpp.
/// Source: White, Alund, Sunderam, section 4.5 and Figure 6, where it takes two.

#include "kernels/ft/fftw/layout.hpp"
#include "kernels/ft/field.hpp"
#include "vm/comm.hpp"

namespace nasvm::ft {

void to_frequency(Comm& comm, const Layout& layout, const Field& space, Field& frequency);
void to_space(Comm& comm, const Layout& layout, const Field& frequency, Field& space);

}  // namespace nasvm::ft
