#pragma once
/// \file
/// The parameters of transport `mpi`, known also where MPI is not.

#include <array>

#include "vm/parameters.hpp"

namespace nasvm {

inline constexpr std::array<std::string_view, 2> mpi_collectives{"mpi", "ours"};
inline constexpr std::array<std::string_view, 2> mpi_channels{"shm", "tcp"};

inline constexpr std::array mpi_parameters{
    ParameterRow{"collectives", ParameterKind::word, 0, mpi_collectives.size() - 1,
                 "mpi: its own (default); ours: this suite's, over MPI's point-to-point messages", mpi_collectives},
    ParameterRow{"over", ParameterKind::word, 0, mpi_channels.size() - 1,
                 "shm or tcp: what MPI's messages go over (default: MPI chooses)", mpi_channels},
};

}  // namespace nasvm
