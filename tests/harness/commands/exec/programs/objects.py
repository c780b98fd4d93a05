"""Objects go round a ring and are gathered: a program of mpi4py for the tests of `nasvm exec`."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()

words = world.sendrecv({"from": rank, "words": ["a"] * 1000 * rank}, dest=(rank + 1) % size, source=(rank - 1) % size)
before = (rank - 1) % size
assert words["from"] == before and len(words["words"]) == 1000 * before

squares = world.gather(rank * rank, root=0)
total = world.allreduce(rank)
if rank == 0:
    print(f"squares {squares}, sum {total}")
