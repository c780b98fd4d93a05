! Programs in Fortran by our own module and include file.
subroutine by_include(total)
  implicit none
  include 'mpif.h'
  integer total, rank, ierror
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  total = rank
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
end subroutine

program ring
  use mpi
  implicit none
  integer rank, size, total, ierror, status(MPI_STATUS_SIZE)
  double precision passed, came
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  passed = rank
  call MPI_Sendrecv(passed, 1, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 5, came, 1, MPI_DOUBLE_PRECISION, &
                    MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
  call by_include(total)
  if (nint(came) /= mod(rank + size - 1, size) .or. status(MPI_TAG) /= 5) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  if (total /= size * (size - 1) / 2) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  if (MPI_LONG_LONG /= MPI_LONG_LONG_INT .or. MPI_C_COMPLEX /= MPI_C_FLOAT_COMPLEX) then
    call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end if
  if (rank == 0) print '(a)', 'all right'
  call MPI_Finalize(ierror)
end program
