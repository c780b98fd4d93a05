#include "kernels/ft/fftw/transpose.hpp"

namespace nasvm::ft {

void to_frequency(Comm& comm, const Layout& layout, const Field& space, Field& frequency) {
  comm.alltoallv(space, layout.space_blocks(), frequency, layout.frequency_blocks());
}

void to_space(Comm& comm, const Layout& layout, const Field& frequency, Field& space) {
  comm.alltoallv(frequency, layout.frequency_blocks(), space, layout.space_blocks());
}

}  // namespace nasvm::ft
