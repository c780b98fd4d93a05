! Fortran: columns and rows of an array, reductions in place and by an operation of the program's, a ring of tasks,
! attributes as C gets them, blanks of names; hints before MPI_Init, memory as a type(c_ptr), error handlers of
! communicators, counts of what was refused, Open MPI's extensions.
subroutine greater_of(in, inout, length, datatype)
  implicit none
  integer :: length, datatype
  integer :: in(length), inout(length)
  inout = max(in, inout)
end subroutine greater_of

! Of MPI-4, which modules of MPI-3.1 do not have.
subroutine get_text(info, key, text, length, found)
  implicit none
  integer :: info, length, code
  character(len=*) :: key, text
  logical :: found
  external :: MPI_Info_get_string
  length = len(text)
  call MPI_Info_get_string(info, key, length, text, found, code)
end subroutine get_text

subroutine look_at_some(count, requests, found, indices, statuses, code)
  implicit none
  integer :: count, requests(*), found, indices(*), statuses(*), code
  external :: MPI_Request_get_status_some
  call MPI_Request_get_status_some(count, requests, found, indices, statuses, code)
end subroutine look_at_some

! Functions of a keyval as C has them.
module functions_in_c
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr
  implicit none
contains
  function hand_on(comm, key, extra, value, copy, wanted) bind(c) result(code)
    type(c_ptr), value :: comm, extra, value
    integer(c_int), value :: key
    type(c_ptr) :: copy
    integer(c_int) :: wanted, code
    copy = value
    wanted = 1
    code = 0
  end function hand_on
  function let_go(comm, key, value, extra) bind(c) result(code)
    type(c_ptr), value :: comm, value, extra
    integer(c_int), value :: key
    integer(c_int) :: code
    code = 0
  end function let_go
end module functions_in_c

program columns
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_funptr, c_funloc, c_null_ptr, c_f_pointer
  use functions_in_c
  use mpi
  implicit none
  external :: greater_of, get_text, look_at_some, MPIX_Barrier_init
  integer :: rank, tasks, code, row, ring, before, next, greatest, values(2), status(MPI_STATUS_SIZE), counted
  integer :: wrong = 0, all_wrong
  integer :: requests(2) = MPI_REQUEST_NULL, indices(2), found_of(3), statuses(MPI_STATUS_SIZE, 2)
  real(8) :: field(3, 4), line(4)
  logical :: goes_round(1) = .true., found
  integer :: keyval, copy, info, request
  integer(MPI_ADDRESS_KIND), parameter :: large = 12345678901_MPI_ADDRESS_KIND
  integer(MPI_ADDRESS_KIND) :: attribute
  integer(MPI_ADDRESS_KIND), pointer :: seen
  integer, pointer :: seen_default
  type(c_ptr) :: memory
  integer, pointer, contiguous :: words(:)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=20) :: text

  call MPI_Info_create(info, code)
  call MPI_Info_set(info, 'key', 'early', code)
  call MPI_Info_get(info, 'key', len(text), text, found, code)
  if (.not. found .or. text /= 'early') wrong = wrong + 1
  call get_text(info, 'key', text, counted, found)
  if (.not. found .or. text /= 'early' .or. counted /= 5) wrong = wrong + 1
  call MPI_Info_free(info, code)

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

  ! C gets the address of an integer that Fortran has set, and of its copy.
  attribute = 0
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, attribute, code)
  attribute = large
  call MPI_Comm_set_attr(ring, keyval, attribute, code)
  call MPI_Comm_dup(ring, copy, code)
  call c_f_pointer(attribute_in_c(ring, keyval), seen)
  if (seen /= large) wrong = wrong + 1
  call c_f_pointer(attribute_in_c(copy, keyval), seen)
  if (seen /= large) wrong = wrong + 1
  call MPI_Attr_put(ring, keyval, -7, code)
  call c_f_pointer(attribute_in_c(ring, keyval), seen_default)
  if (seen_default /= -7) wrong = wrong + 1
  call MPI_Comm_get_attr(ring, keyval, attribute, found, code)
  if (.not. found .or. attribute /= -7) wrong = wrong + 1
  call MPI_Comm_get_attr(copy, keyval, attribute, found, code)
  if (.not. found .or. attribute /= large) wrong = wrong + 1
  call MPI_Comm_free(copy, code)

  ! A function in C gets that address, and who hands it on has copied the integer.
  keyval = keyval_in_c()
  call MPI_Comm_set_attr(ring, keyval, large, code)
  call MPI_Comm_dup(ring, copy, code)
  call MPI_Comm_set_attr(ring, keyval, large + 1, code)
  call MPI_Comm_get_attr(copy, keyval, attribute, found, code)
  if (.not. found .or. attribute /= large) wrong = wrong + 1
  call MPI_Comm_free(copy, code)

  ! Names may begin with blanks; keys and values of info objects do not.
  call MPI_Comm_set_name(ring, '  a ring  ', code)
  call MPI_Comm_get_name(ring, name, counted, code)
  if (counted /= 8 .or. name /= '  a ring') wrong = wrong + 1
  call MPI_Type_set_name(row, ' row', code)
  call MPI_Type_get_name(row, name, counted, code)
  if (counted /= 4 .or. name /= ' row') wrong = wrong + 1
  call MPI_Info_create(info, code)
  call MPI_Info_set(info, '  key ', '  a value ', code)
  call MPI_Info_get(info, ' key', len(text), text, found, code)
  if (.not. found .or. text /= 'a value') wrong = wrong + 1
  call MPI_Info_free(info, code)

  call MPI_Alloc_mem(10 * 4_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory, code)
  call c_f_pointer(memory, words, [10])
  words = rank
  if (sum(words) /= 10 * rank) wrong = wrong + 1
  call MPI_Free_mem(words, code)

  ! The communicator's error handler hears of it, and not that of MPI_COMM_WORLD, which ends the program.
  call MPI_Comm_dup(ring, copy, code)
  call MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN, code)
  call MPI_Comm_get_attr(copy, MPI_KEYVAL_INVALID, attribute, found, code)
  if (code == MPI_SUCCESS) wrong = wrong + 1
  call MPI_Comm_set_attr(copy, MPI_KEYVAL_INVALID, attribute, code)
  if (code == MPI_SUCCESS) wrong = wrong + 1
  call MPI_Comm_free(copy, code)

  ! No place is told where a call fails, whatever the count was before.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  found_of = 2
  indices = 7
  call MPI_Waitsome(-1, requests, found_of(1), indices, statuses, code)
  if (code == MPI_SUCCESS) wrong = wrong + 1
  call MPI_Testsome(-1, requests, found_of(2), indices, statuses, code)
  if (code == MPI_SUCCESS) wrong = wrong + 1
  call look_at_some(-1, requests, found_of(3), indices, statuses, code)
  if (code == MPI_SUCCESS) wrong = wrong + 1
  if (any(found_of /= MPI_UNDEFINED) .or. any(indices /= 7)) wrong = wrong + 1
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, code)

  call MPIX_Barrier_init(ring, MPI_INFO_NULL, request, code)
  call MPI_Start(request, code)
  call MPI_Wait(request, MPI_STATUS_IGNORE, code)
  call MPI_Request_free(request, code)

  call MPI_Op_free(greatest, code)
  call MPI_Type_free(row, code)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'all right'
  call MPI_Finalize(code)

contains

  integer function keyval_in_c()
    integer(c_int) :: key, returned
    interface
      function create_keyval_in_c(copies, deletes, key, extra) bind(c, name='MPI_Comm_create_keyval') result(returned)
        import :: c_int, c_ptr, c_funptr
        type(c_funptr), value :: copies, deletes
        integer(c_int) :: key, returned
        type(c_ptr), value :: extra
      end function create_keyval_in_c
    end interface
    returned = create_keyval_in_c(c_funloc(hand_on), c_funloc(let_go), key, c_null_ptr)
    if (returned /= MPI_SUCCESS) wrong = wrong + 1
    keyval_in_c = key
  end function keyval_in_c

  function attribute_in_c(comm, key) result(address)
    integer, intent(in) :: comm, key
    type(c_ptr) :: address
    integer(c_int) :: is_there, returned
    interface
      function comm_in_c(number) bind(c, name='MPI_Comm_f2c') result(handle)
        import :: c_int, c_ptr
        integer(c_int), value :: number
        type(c_ptr) :: handle
      end function comm_in_c
      function get_attr_in_c(handle, key, address, is_there) bind(c, name='MPI_Comm_get_attr') result(returned)
        import :: c_int, c_ptr
        type(c_ptr), value :: handle
        integer(c_int), value :: key
        type(c_ptr) :: address
        integer(c_int) :: is_there, returned
      end function get_attr_in_c
    end interface
    address = c_null_ptr
    is_there = 0
    returned = get_attr_in_c(comm_in_c(comm), key, address, is_there)
    if (returned /= MPI_SUCCESS .or. is_there == 0) address = c_null_ptr
  end function attribute_in_c
end program columns
