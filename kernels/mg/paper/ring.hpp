#pragma once
/// \file
/// The ring of tasks of MG's variant `paper`. Every grid is cut in z into slabs, down to the coarsest: the bounds are
/// those of a Hierarchy without merged grids. A task keeps one plane of its neighbours "in shadow" at each end of its
/// slab. Tasks that have no plane of a grid leave there; before the next finer grid is prolongated they rejoin.
/// Source: White, Alund and Sunderam, Performance of the NAS Parallel Benchmarks on PVM-Based Networks, section 4.2.

#include <vector>

#include "kernels/mg/hierarchy.hpp"

namespace nasvm::mg {

/// The slabs of all tasks: each grid's as its `planes`.
Hierarchy ring_of_slabs(int levels, int tasks);

/// Whether the task has planes of that grid.
bool takes_part(const Hierarchy& ring, int level, int task);

/// The planes that a task needs of a grid: its slab and one at each end.
Range with_shadows(const Hierarchy& ring, int level, int task);

/// One exchange between all tasks that take part: the outermost planes of each go to its two neighbours.
std::vector<PlaneMove> border_moves(const Hierarchy& ring, int level);

/// What tasks that left at `level` need of it to prolongate to the next finer grid: two planes each, of which one
/// lies below theirs and one above.
std::vector<PlaneMove> rejoin_moves(const Hierarchy& ring, int level);

}  // namespace nasvm::mg
