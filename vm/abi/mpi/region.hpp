#pragma once
/// \file
/// What is measured of a program: from MPI_Init to MPI_Finalize, or the parts that it marks itself with MPI_Pcontrol
/// (MPI-3.1, section 14.2.4: 1 begins to measure, 0 ends that, 2 forgets what was measured).

#include "vm/abi/mpi/statistics.hpp"
#include "vm/metrics/counters.hpp"

namespace nasvm::mpi {

struct Measured {
  Counters counters;
  Statistics statistics;
  Ticks time = 0;
};

/// Adds up the parts. `counters` are those of all tasks' Comm at that moment, `live` counts the calls.
class Region {
 public:
  /// MPI_Init.
  void begin(const Counters& counters, Statistics& live, Ticks now);
  /// MPI_Pcontrol. The first 1 forgets what was before: what the program marks is what it wants to have measured.
  void control(int level, const Counters& counters, Statistics& live, Ticks now);
  /// MPI_Finalize: all that was measured.
  Measured end(const Counters& counters, Statistics& live, Ticks now);

 private:
  void pause(const Counters& counters, Statistics& live, Ticks now);
  void forget(std::size_t peers);

  Measured sum_;
  Counters before_;
  Ticks begun_ = 0;
  bool measures_ = false;
  bool marked_ = false;  ///< by the program
};

}  // namespace nasvm::mpi
