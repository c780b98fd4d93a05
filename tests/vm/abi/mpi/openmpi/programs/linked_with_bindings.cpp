// A program in C++ as mpicxx links it: with the bindings of MPI-2, whose library has to be loaded, too.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const int rank = MPI::COMM_WORLD.Get_rank();
  const int size = MPI::COMM_WORLD.Get_size();
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI::COMM_WORLD.Barrier();
  if (rank == 0) std::puts(sum == size * (size - 1) / 2 ? "all right" : "wrong");
  MPI::Finalize();
  return 0;
}
