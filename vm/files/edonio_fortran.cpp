// The C interface under the names that Fortran compilers give: lower case with an underscore, arguments by reference.
// Extended integers are two integers, the low one first.

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <string>

#include "nasvm/edonio.h"

namespace {

/// A text ends with a null character, as in the paper, or with its last letter.
std::string text_of(const char* text, std::size_t length) {
  const std::string_view all(text, length);
  const std::size_t null = all.find('\0');
  if (null != std::string_view::npos) return std::string(all.substr(0, null));
  return std::string(all.substr(0, all.find_last_not_of(' ') + 1));
}

std::int64_t wide_of(const int* parts) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(parts[1])) << 32 |
                                   static_cast<std::uint32_t>(parts[0]));
}

void put_wide(std::int64_t value, int* parts) {
  parts[0] = static_cast<int>(static_cast<std::uint32_t>(value));
  parts[1] = static_cast<int>(value >> 32);
}

/// What an integer cannot hold is an error.
int narrow(std::int64_t value) {
  if (value <= INT_MAX) return static_cast<int>(value);
  errno = EOVERFLOW;
  return -1;
}

}  // namespace

extern "C" {

int donio_(const int* myid, const int* nproc) { return do_nio(*myid, *nproc); }
int doopen_(const char* path, const int* flags, const int* mode, std::size_t length) {
  return do_open(text_of(path, length).c_str(), *flags, *mode);
}
int doclose_(const int* fd) { return do_close(*fd); }
int doread_(const int* fd, void* buf, const int* nbytes) {
  if (*nbytes >= 0) return static_cast<int>(do_read(*fd, buf, static_cast<std::size_t>(*nbytes)));
  errno = EINVAL;
  return -1;
}
int dowrite_(const int* fd, const void* buf, const int* nbytes) {
  if (*nbytes >= 0) return static_cast<int>(do_write(*fd, buf, static_cast<std::size_t>(*nbytes)));
  errno = EINVAL;
  return -1;
}
int dolseek_(const int* fd, const int* offset, const int* whence) {
  const std::int64_t before = do_lseek(*fd, 0, SEEK_CUR);
  const std::int64_t position = do_lseek(*fd, *offset, *whence);
  if (position > INT_MAX) (void)do_lseek(*fd, before, SEEK_SET);  // an error leaves it where it was
  return narrow(position);
}
int doeseek_(const int* fd, const int* loffset, const int* whence, int* lpos) {
  const std::int64_t position = do_eseek(*fd, wide_of(loffset), *whence);
  put_wide(position, lpos);
  return position < 0 ? -1 : 0;
}
int dolsize_(const int* fd, const int* nbytes) { return narrow(do_lsize(*fd, *nbytes)); }
int doesize_(const int* fd, const int* lnbytes) { return do_esize(*fd, wide_of(lnbytes)) < 0 ? -1 : 0; }
int doflush_(const int* fd) { return do_flush(*fd); }
int dopreload_(const int* fd) { return do_preload(*fd); }
int docsiz_(const int* datasize, const int* disksiz) { return do_csize(*datasize, *disksiz); }
int docsize_(const int* datasize, const int* disksiz) { return do_csize(*datasize, *disksiz); }
int docheck_(void) { return do_check(); }
int dogsync_(void) { return do_gsync(); }

}  // extern "C"
