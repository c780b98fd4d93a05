#ifndef NASVM_EDONIO_H
#define NASVM_EDONIO_H
/**
 * \file
 * EDONIO: files that all tasks of a parallel program read and write in small pieces, cached in the memory of all of
 * them. C interface; Fortran programs call the same without underscores (donio, doopen, doread, ...).
 *
 * After D'Azevedo and Romine, EDONIO: Extended Distributed Object Network I/O Library, section 3 (its manual pages),
 * with sizes of 64 bits, gaps that read as zero, and errors in errno.
 *
 * Functions marked collective are called by all tasks, in the same order, and wait for all. When a task has ended, or
 * waits in another call, the others get -1 with ETIMEDOUT within 10 s; tasks that compute are waited for. The others
 * may be called at any time by any task, and wait for the owner of the bytes where these are not at hand: an owner
 * answers in every call to this library or the message layer.
 *
 * Errors: -1, with errno set; do_error() says more. One thread of a task uses these functions.
 */
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The paper's extended integer. */
typedef off_t esize_t;

/** Begins: before anything else. Collective. This task's number, from 0, and the number of all: as the machine counts
 *  them, and `nasvm exec` tells each task in OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE. A program that was not
 *  started by the machine is one task. 0. EINVAL: a task's parameters (NASVM_EDONIO) are wrong, or, at once and in
 *  this task alone, the numbers: who then ends without the right ones fails. */
int do_nio(int myid, int nproc);

/** Opens a file. Collective; the same arguments. A descriptor, from 0. `flags`: O_RDONLY; O_WRONLY, which creates the
 *  file or cuts it; O_RDWR, which creates it where there is none; both with O_TRUNC, O_EXCL. EINVAL: O_APPEND, and
 *  O_RDONLY with O_CREAT, O_TRUNC or O_EXCL. This user has to be allowed to read the file. EBUSY: it is open
 * elsewhere, here or in another program, and not only read. */
int do_open(const char* path, int flags, int mode);

/** Brings what was written to disk, gives the file its size, and closes it. Collective. 0. After an error, too, it is
 *  closed, unless a task did not take part. */
int do_close(int fd);

/** Reads from this task's position on, and moves it. All `nbytes`, which are returned, or none: ENODATA where the
 * file ends before. EIO: it cannot be read, or somebody has cut the file since it was opened. */
ssize_t do_read(int fd, void* buf, size_t nbytes);

/** Writes at this task's position, and moves it. Returns what was written: less than `nbytes` where the next call has
 *  an error to tell. Others can read it after the next do_flush or do_close of this file, do_gsync, do_csize, or
 *  do_lsize or do_preload of any file; not for do_open, nor for do_flush or do_close of another file. Where it got
 *  lost afterwards (the task that has this part of the file has no room for it, or has ended), these calls fail, and
 *  so does do_write in the task that wrote it, until the file is closed: do_close tells it once more. */
ssize_t do_write(int fd, const void* buf, size_t nbytes);

/** Sets this task's position, which is returned. `whence`: SEEK_SET, SEEK_CUR, or SEEK_END, which is right for a file
 *  that is only read, and right after do_flush. */
off_t do_lseek(int fd, off_t offset, int whence);
esize_t do_eseek(int fd, esize_t offset, int whence);

/** The file will have so many bytes: takes the space. Collective; the same number. `nbytes`. The file gets the size
 * of what is written all the same. */
off_t do_lsize(int fd, off_t nbytes);
esize_t do_esize(int fd, esize_t nbytes);

/** All that was written is on disk, when it returns 0. Collective. ENOSPC, EIO: it is not; the rest of it is. What
 *  had no room is tried again by the next one; what got lost (do_write, or the disk's error) each one tells again. */
int do_flush(int fd);

/** Fills what is empty of the disk cache with blocks from the least position of all tasks on. Collective. 0. */
int do_preload(int fd);

/** Sizes of this task's caches, in KBytes: read-only copies of others' blocks (0: none), own blocks. Collective. 0.
 *  EINVAL: less than a block. ENOMEM: more than there is. */
int do_csize(int data_size, int disk_size);

/** Serves other tasks. Does not wait. 0. */
int do_check(void);

/** Waits for all tasks, serving them. What was written before, all can read. Collective. 0. */
int do_gsync(void);

/** The last error of this task, one line; "" before there is one. */
const char* do_error(void);

#ifdef __cplusplus
}
#endif
#endif
