! Sums the ranks: for tests of nasvm exec.
program ring
  use mpi
  implicit none
  integer :: rank, size, sum, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'sum ', sum
  call MPI_Finalize(error)
end program ring
