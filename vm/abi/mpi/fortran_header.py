"""mpif.h for programs in Fortran, in the values of Open MPI's binary interface, for generate.py."""

from pathlib import Path

from generate import read_objects

HERE = Path(__file__).resolve().parent


def handles():
    return "".join(f"      integer MPI_{name}\n      parameter (MPI_{name}={number})\n"
                   for _, name, _, _, number, *_ in read_objects())


def header():
    return (HERE / "openmpi" / "mpif.h.in").read_text().replace("@HANDLES@", handles())
