! The module of MPI-2: the constants. Procedures are called without interfaces.
module mpi
  include 'mpif.h'
end module mpi
