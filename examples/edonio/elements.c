/* A file that all tasks write in small pieces, and read (docs/edonio.md). Built against an installed nasvm:
 *
 *   cmake -S . -B build && cmake --build build && nasvm exec --np 2 -- build/elements
 *   cc elements.c -o elements $(pkg-config --cflags --libs nasvm) && nasvm exec --np 2 -- ./elements
 *
 * By itself it is one task. */

#include <nasvm/edonio.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 1000, corners = 8 };

/* nasvm exec tells each task its number, and how many there are, as Open MPI's launcher does. */
static int number_in(const char* variable, int otherwise) {
  const char* text = getenv(variable);
  return text == NULL ? otherwise : atoi(text);
}

static int complain(const char* what) {
  fprintf(stderr, "elements: %s: %s\n", what, do_error());
  return 3;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "elements.bin";
  const int rank = number_in("OMPI_COMM_WORLD_RANK", 0);
  const int size = number_in("OMPI_COMM_WORLD_SIZE", 1);
  int vertices[corners];
  const ssize_t bytes = sizeof vertices;

  if (do_nio(rank, size) < 0) return complain("do_nio");
  const int fd = do_open(path, O_RDWR | O_TRUNC, 0666); /* every task */
  if (fd < 0) return complain("do_open");
  for (int element = rank; element < elements; element += size) {
    for (int corner = 0; corner < corners; ++corner) vertices[corner] = corners * element + corner;
    if (do_lseek(fd, bytes * element, SEEK_SET) < 0) return complain("do_lseek");
    if (do_write(fd, vertices, sizeof vertices) != bytes) return complain("do_write"); /* any task, any time */
  }
  if (do_flush(fd) < 0) return complain("do_flush"); /* every task; then all can read it */
  for (int element = 0; element < elements; ++element) {
    if (do_lseek(fd, bytes * element, SEEK_SET) < 0) return complain("do_lseek");
    if (do_read(fd, vertices, sizeof vertices) != bytes) return complain("do_read");
    if (vertices[corners - 1] == corners * element + corners - 1) continue;
    fprintf(stderr, "elements: element %d is wrong\n", element);
    return 1;
  }
  if (do_close(fd) < 0) return complain("do_close"); /* every task; on disk when it returns 0 */
  printf("task %d of %d has read %d elements\n", rank, size, (int)elements);
  return 0;
}
