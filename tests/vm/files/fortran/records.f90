! Records that all tasks write and read by the Fortran names of the file cache. Arguments: number of tasks, path.
! Exit status 0: all was as it should be.
program records
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_loc
  implicit none
  interface
    integer(c_int) function c_fork() bind(c, name='fork')
      import :: c_int
    end function c_fork
    integer(c_int) function c_waitpid(child, status, options) bind(c, name='waitpid')
      import :: c_int, c_ptr
      integer(c_int), value :: child, options
      type(c_ptr), value :: status
    end function c_waitpid
    subroutine c_exit(status) bind(c, name='exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine c_exit
  end interface
  integer, parameter :: update_and_cut = 514, from_begin = 0, from_here = 1, from_end = 2
  integer, parameter :: largest = huge(0), mode = 420, count = 3000, words = 8, bytes = 4 * words
  integer, external :: donio, doopen, doclose, doread, dowrite, dolseek, doeseek, dolsize, doesize
  integer, external :: doflush, dopreload, docsiz, docsize, docheck, dogsync
  character(len=1000) :: path, number
  integer :: tasks, rank, fd, i, far(2), position(2), record(words)
  integer(c_int) :: child
  integer(c_int), target :: status

  call get_command_argument(1, number)
  call get_command_argument(2, path)
  read (number, *) tasks
  ! A child of a task that has not begun anything yet is no task either.
  call require(donio(0, tasks + 1) == -1, 'a wrong number of tasks')
  child = c_fork()
  if (child == 0) call c_exit(3_c_int)
  call require(c_waitpid(child, c_loc(status), 0) == child, 'a child of a program')
  ! The library knows which number is right.
  do rank = 0, tasks - 1
    if (donio(rank, tasks) == 0) exit
  end do
  call require(rank < tasks, 'donio')
  call require(docsiz(512, 1024) == 0, 'docsiz')
  call require(docsize(512, 4096) == 0, 'docsize')
  fd = doopen(path, update_and_cut, mode)
  call require(fd >= 0, 'doopen')
  call require(dolsize(fd, count * bytes) == count * bytes, 'dolsize')
  call require(doesize(fd, (/ count * bytes, 0 /)) == 0, 'doesize')

  do i = rank, count - 1, tasks
    call require(dolseek(fd, i * bytes, from_begin) == i * bytes, 'dolseek')
    call require(dowrite(fd, record_of(i), bytes) == bytes, 'dowrite')
  end do
  ! A child that ends well, or as if it could not become another program, takes no part of the task along.
  child = c_fork()
  if (child == 0) then
    if (doclose(fd) /= -1) call c_exit(2_c_int)
    if (donio(rank, tasks) /= -1) call c_exit(3_c_int)
    call c_exit(int(mod(rank, 2), c_int))
  end if
  call require(c_waitpid(child, c_loc(status), 0) == child, 'a child of a task')
  call require(status / 256 == mod(rank, 2), 'what a child calls')
  call require(docheck() == 0, 'docheck')
  call require(doflush(fd) == 0, 'doflush')
  call require(dolseek(fd, 0, from_end) == count * bytes, 'size')
  call require(dolseek(fd, 0, from_begin) == 0, 'dolseek to the beginning')
  call require(dopreload(fd) == 0, 'dopreload')
  do i = 0, count - 1
    call require(doread(fd, record, bytes) == bytes, 'doread')
    call require(all(record == record_of(i)), 'what was written is read')
  end do
  call require(dogsync() == 0, 'dogsync')

  ! 8 GiB and 20 bytes: the low part first.
  far = (/ 20, 2 /)
  call require(doeseek(fd, far, from_begin, position) == 0, 'doeseek')
  call require(all(position == far), 'position of doeseek')
  call require(dolseek(fd, 0, from_here) == -1, 'a position that an integer cannot hold')
  if (rank == 0) call require(dowrite(fd, record_of(-1), bytes) == bytes, 'dowrite far out')
  call require(dogsync() == 0, 'dogsync')
  call require(doeseek(fd, far, from_begin, position) == 0, 'doeseek')
  call require(doread(fd, record, bytes) == bytes, 'doread far out')
  call require(all(record == record_of(-1)), 'what was written far out is read')
  call require(doread(fd, record, -1) == -1, 'a negative length')
  call require(dolseek(fd, largest, from_begin) == largest, 'dolseek to the largest integer')
  call require(dolseek(fd, 1, from_here) == -1, 'a position beyond the largest integer')
  call require(dolseek(fd, -1, from_here) == largest - 1, 'an error leaves the position')
  call require(doclose(fd) == 0, 'doclose')
  call require(doclose(fd) == -1, 'doclose of what is not open')

contains

  function record_of(i) result(record)
    integer, intent(in) :: i
    integer :: record(words), k
    record = (/ (1000 * i + k, k = 1, words) /)
  end function record_of

  subroutine require(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    write (0, *) 'task', rank, ': ', what
    stop 1
  end subroutine require
end program records
