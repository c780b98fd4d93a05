! Fortran: columns and rows of an array, reductions in place and by an operation of the program's, a ring of tasks.
subroutine greater_of(in, inout, length, datatype)
  implicit none
  integer :: length, datatype
  integer :: in(length), inout(length)
  inout = max(in, inout)
end subroutine greater_of

program columns
  use mpi
  implicit none
  external :: greater_of
  integer :: rank, tasks, code, row, ring, before, next, greatest, values(2), status(MPI_STATUS_SIZE), counted
  integer :: wrong = 0, all_wrong
  real(8) :: field(3, 4), line(4)
  logical :: goes_round(1) = .true.

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, tasks, code)

  call MPI_Cart_create(MPI_COMM_WORLD, 1, [tasks], goes_round, .false., ring, code)
  call MPI_Cart_shift(ring, 0, 1, before, next, code)
  if (next /= mod(rank + 1, tasks)) wrong = wrong + 1

  call MPI_Type_vector(4, 1, 3, MPI_DOUBLE_PRECISION, row, code)
  call MPI_Type_commit(row, code)
  field = 0
  field(2, :) = [1, 2, 3, 4] + 10 * rank
  call MPI_Sendrecv(field(2, 1), 1, row, next, 5, line, 4, MPI_DOUBLE_PRECISION, before, 5, ring, status, code)
  if (any(line /= [1, 2, 3, 4] + 10 * before)) wrong = wrong + 1
  call MPI_Get_count(status, MPI_DOUBLE_PRECISION, counted, code)
  if (counted /= 4 .or. status(MPI_SOURCE) /= before) wrong = wrong + 1

  values = [rank, -rank]
  call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, MPI_SUM, ring, code)
  if (values(1) /= tasks * (tasks - 1) / 2 .or. values(2) /= -values(1)) wrong = wrong + 1
  values = [rank, -rank]
  call MPI_Op_create(greater_of, .true., greatest, code)
  call MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INTEGER, greatest, ring, code)
  if (values(1) /= tasks - 1 .or. values(2) /= 0) wrong = wrong + 1

  call MPI_Op_free(greatest, code)
  call MPI_Type_free(row, code)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'all right'
  call MPI_Finalize(code)
end program columns
