/* Graphs, told as a whole, by anybody or by each task for itself, parts of grids, and what tasks exchange with their
 * neighbours there: at once, in the background, and started again and again. */
#include <stdlib.h>
#include <string.h>

#include "mpi4.h"

#include "check.h"

enum { most = 16, room = 4, most_tasks = 16 };
enum { allgather, allgatherv, alltoall, alltoallv, alltoallw, kinds };

static int rank, size;

static int class_of(int code) {
  int class = MPI_SUCCESS;
  MPI_Error_class(code, &class);
  return class;
}

static int kind_of(MPI_Comm comm) {
  int kind = -1;
  MPI_Topo_test(comm, &kind);
  return kind;
}

/* --- what neighbours exchange --- */

/* A task's number in `comm`, and its neighbours there as they are expected; MPI_PROC_NULL: none. */
struct Place {
  MPI_Comm comm;
  int rank, sources, destinations;
  int from[most], to[most];
};

/* What neighbours send and get in one round. */
struct Data {
  int gathered, all[most], lists[most * room], own_list[room];
  char mixed[most * 16];
};
static struct Data out, in;

static int value(int round, int from, int to, int i) { return 1000 * round + 100 * from + 10 * to + i; }
static int length(int from) { return from % 3 + 1; }
static int length_between(int from, int to) { return (from + to) % 3; }
static int is_pair(int from, int to) { return (from + to) % 2; }

/* Where neighbours' blocks lie: with gaps, those that come in last to first. */
struct Layout {
  int own_counts[most], counts[most], places[most], gathered_counts[most], gathered_places[most], own_places[most];
  int ones[most];
  MPI_Aint own_bytes[most], bytes[most];
  MPI_Datatype own_types[most], types[most], pair;
};

static void lay_out(const struct Place* here, struct Layout* to) {
  MPI_Type_contiguous(2, MPI_INT, &to->pair);
  MPI_Type_commit(&to->pair);
  for (int i = 0; i < most; ++i) to->ones[i] = 1;
  for (int i = 0; i < here->destinations; ++i) {
    const int other = here->to[i];
    to->own_counts[i] = other == MPI_PROC_NULL ? 1 : length_between(here->rank, other);
    to->own_places[i] = room * i;
    to->own_bytes[i] = 16 * i;
    to->own_types[i] = other != MPI_PROC_NULL && is_pair(here->rank, other) ? to->pair : MPI_DOUBLE;
  }
  for (int i = 0; i < here->sources; ++i) {
    const int other = here->from[i], last = here->sources - 1;
    to->counts[i] = other == MPI_PROC_NULL ? 1 : length_between(other, here->rank);
    to->places[i] = room * (last - i);
    to->gathered_counts[i] = other == MPI_PROC_NULL ? 1 : length(other);
    to->gathered_places[i] = room * (last - i) + 1;
    to->bytes[i] = 16 * (last - i);
    to->types[i] = other != MPI_PROC_NULL && is_pair(other, here->rank) ? to->pair : MPI_DOUBLE;
  }
}

static void fill(const struct Place* here, int round) {
  memset(&in, -1, sizeof in);
  out.gathered = value(round, here->rank, 0, 0);
  for (int i = 0; i < room; ++i) out.own_list[i] = value(round, here->rank, 0, i);
  for (int i = 0; i < here->destinations; ++i) {
    const int other = here->to[i];
    out.all[i] = value(round, here->rank, other, 0);
    for (int j = 0; j < room; ++j) out.lists[room * i + j] = value(round, here->rank, other, j);
    const int pair[2] = {value(round, here->rank, other, 0), value(round, here->rank, other, 1)};
    const double number = pair[0];
    if (other != MPI_PROC_NULL && is_pair(here->rank, other)) memcpy(out.mixed + 16 * i, pair, sizeof pair);
    else memcpy(out.mixed + 16 * i, &number, sizeof number);
  }
}

/* Who has no neighbour somewhere keeps what was there. */
static struct Data expected(const struct Place* here, const struct Layout* layout, int round, int kind) {
  struct Data all;
  memset(&all, -1, sizeof all);
  for (int i = 0; i < here->sources; ++i) {
    const int other = here->from[i];
    if (other == MPI_PROC_NULL) continue;
    const int pair[2] = {value(round, other, here->rank, 0), value(round, other, here->rank, 1)};
    const double number = pair[0];
    if (kind == allgather) all.all[i] = value(round, other, 0, 0);
    if (kind == alltoall) all.all[i] = pair[0];
    for (int j = 0; kind == allgatherv && j < length(other); ++j) {
      all.lists[layout->gathered_places[i] + j] = value(round, other, 0, j);
    }
    for (int j = 0; kind == alltoallv && j < length_between(other, here->rank); ++j) {
      all.lists[layout->places[i] + j] = value(round, other, here->rank, j);
    }
    if (kind != alltoallw) continue;
    if (is_pair(other, here->rank)) memcpy(all.mixed + layout->bytes[i], pair, sizeof pair);
    else memcpy(all.mixed + layout->bytes[i], &number, sizeof number);
  }
  return all;
}

#define IN_THE_FORM(blocking, nonblocking, persistent, ...)   \
  if (form == at_once) blocking(__VA_ARGS__);                 \
  else if (form == behind) nonblocking(__VA_ARGS__, request); \
  else persistent(__VA_ARGS__, MPI_INFO_NULL, request);       \
  break

enum { at_once, behind, again };

static void exchange(int kind, int form, const struct Place* here, const struct Layout* layout, struct Data* to,
                     MPI_Request* request) {
  const MPI_Comm comm = here->comm;
  switch (kind) {
    case allgather:
      IN_THE_FORM(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, &out.gathered, 1,
                  MPI_INT, to->all, 1, MPI_INT, comm);
    case allgatherv:
      IN_THE_FORM(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, out.own_list,
                  length(here->rank), MPI_INT, to->lists, layout->gathered_counts, layout->gathered_places, MPI_INT,
                  comm);
    case alltoall:
      IN_THE_FORM(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, out.all, 1, MPI_INT,
                  to->all, 1, MPI_INT, comm);
    case alltoallv:
      IN_THE_FORM(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, out.lists,
                  layout->own_counts, layout->own_places, MPI_INT, to->lists, layout->counts, layout->places, MPI_INT,
                  comm);
    case alltoallw:
      IN_THE_FORM(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, out.mixed,
                  layout->ones, layout->own_bytes, layout->own_types, to->mixed, layout->ones, layout->bytes,
                  layout->types, comm);
  }
}

static void check_exchanges(const struct Place* here) {
  static struct Layout layout;
  static struct Data came[kinds];
  MPI_Request requests[kinds];
  memset(&layout, 0, sizeof layout);
  lay_out(here, &layout);
  for (int form = at_once; form <= again; ++form) {
    fill(here, 10 * form);
    memset(came, -1, sizeof came);
    for (int kind = 0; kind < kinds; ++kind) exchange(kind, form, here, &layout, &came[kind], &requests[kind]);
    /* Types of what is under way may be given up. */
    if (form == again) MPI_Type_free(&layout.pair);
    for (int round = 0; round < (form == again ? 3 : 1); ++round) {
      if (form == again) {
        fill(here, 10 * form + round);
        memset(came, -1, sizeof came);
        for (int i = 0; i < kinds; ++i) MPI_Start(&requests[(i + here->rank) % kinds]);
      }
      for (int i = kinds; form != at_once && i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      for (int kind = 0; kind < kinds; ++kind) {
        const struct Data all = expected(here, &layout, 10 * form + round, kind);
        CHECK(memcmp(&came[kind], &all, sizeof all) == 0);
      }
    }
    for (int i = 0; form == again && i < kinds; ++i) MPI_Request_free(&requests[i]);
  }
}

/* --- graphs of which all tasks know all --- */

/* A row: each task has those before and behind it as neighbours. Returns the number of edges. */
static int describe_row(int nodes, int* index, int* edges) {
  int count = 0;
  for (int node = 0; node < nodes; ++node) {
    if (node > 0) edges[count++] = node - 1;
    if (node + 1 < nodes) edges[count++] = node + 1;
    index[node] = count;
  }
  return count;
}

static void check_row(int nodes) {
  int index[most_tasks], edges[2 * most_tasks], place = -2;
  const int count = describe_row(nodes, index, edges);
  MPI_Comm row;
  MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edges, &place);
  CHECK(place == MPI_UNDEFINED || (place >= 0 && place < nodes));
  CHECK(nodes < size || place != MPI_UNDEFINED);
  MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 0, &row);
  CHECK((row == MPI_COMM_NULL) == (rank >= nodes));
  if (row == MPI_COMM_NULL) return;
  CHECK(kind_of(row) == MPI_GRAPH);

  int nodes_there = -1, edges_there = -1, index_there[most_tasks + 1], list[2 * most_tasks + 1];
  MPI_Graphdims_get(row, &nodes_there, &edges_there);
  CHECK(nodes_there == nodes && edges_there == count);
  index_there[nodes] = list[count] = -7;
  MPI_Graph_get(row, nodes, count, index_there, list);
  CHECK(memcmp(index_there, index, sizeof(int) * nodes) == 0 && index_there[nodes] == -7);
  CHECK(memcmp(list, edges, sizeof(int) * count) == 0 && list[count] == -7);

  struct Place here = {.comm = row};
  MPI_Comm_rank(row, &here.rank);
  CHECK(here.rank == rank);
  for (int node = 0; node < nodes; ++node) {
    int neighbours = -1, found[3] = {-7, -7, -7}, next = 0;
    MPI_Graph_neighbors_count(row, node, &neighbours);
    CHECK(neighbours == (node > 0) + (node + 1 < nodes));
    MPI_Graph_neighbors(row, node, neighbours, found);
    if (node > 0) CHECK(found[next++] == node - 1);
    if (node + 1 < nodes) CHECK(found[next++] == node + 1);
    CHECK(found[next] == -7);
    if (node != here.rank) continue;
    here.sources = here.destinations = neighbours;
    for (int i = 0; i < neighbours; ++i) here.from[i] = here.to[i] = found[i];
  }
  check_exchanges(&here);

  /* A duplicate has the same neighbours. */
  MPI_Comm copy;
  MPI_Comm_dup(row, &copy);
  CHECK(kind_of(copy) == MPI_GRAPH);
  here.comm = copy;
  check_exchanges(&here);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&row);
}

static void check_wrong_graphs(MPI_Comm forgiving) {
  int index[most_tasks + 1], edges[2 * most_tasks], count = describe_row(size, index, edges);
  MPI_Comm made;
  index[size] = count;
  CHECK(class_of(MPI_Graph_create(forgiving, size + 1, index, edges, 0, &made)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Graph_create(forgiving, -1, index, edges, 0, &made)) == MPI_ERR_ARG);
  /* The nodes' edges end where the next one's begin. */
  index[0] = -1;
  CHECK(class_of(MPI_Graph_create(forgiving, 1, index, edges, 0, &made)) == MPI_ERR_ARG);
  const int shrinking[2] = {2, 1}, both[2] = {0, 0};
  if (size > 1) CHECK(class_of(MPI_Graph_create(forgiving, 2, shrinking, both, 0, &made)) == MPI_ERR_ARG);
  /* They lead to nodes. */
  const int one = 1;
  for (int i = 0; i < 3; ++i) {
    const int outside[3] = {-1, 1, size};
    CHECK(class_of(MPI_Graph_create(forgiving, 1, &one, &outside[i], 0, &made)) == MPI_ERR_ARG);
  }
  CHECK(class_of(MPI_Graph_map(forgiving, 0, index, edges, index)) == MPI_ERR_ARG);
  made = MPI_COMM_WORLD;
  CHECK(MPI_Graph_create(forgiving, 0, index, edges, 0, &made) == MPI_SUCCESS && made == MPI_COMM_NULL);

  int number = -1;
  CHECK(class_of(MPI_Graphdims_get(forgiving, &number, &number)) == MPI_ERR_TOPOLOGY);
  CHECK(class_of(MPI_Dist_graph_neighbors_count(forgiving, &number, &number, &number)) == MPI_ERR_TOPOLOGY);
  CHECK(class_of(MPI_Neighbor_allgather(&number, 1, MPI_INT, index, 1, MPI_INT, forgiving)) == MPI_ERR_TOPOLOGY);
  CHECK(kind_of(forgiving) == MPI_UNDEFINED);
}

/* There is no room for fewer than none. */
static void check_negative_room(MPI_Comm forgiving) {
  const int all = 1, none = 0, goes_round = 1;
  int one[2] = {-7, -7}, other[2] = {-7, -7}, third[2] = {-7, -7};
  MPI_Comm alone, made;
  MPI_Comm_split(forgiving, rank, 0, &alone);
  MPI_Graph_create(alone, 1, &all, &none, 0, &made);
  CHECK(class_of(MPI_Graph_get(made, -1, 1, one, other)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Graph_get(made, 1, -1, one, other)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Graph_neighbors(made, 0, -1, one)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Graph_neighbors_count(made, 1, one)) == MPI_ERR_RANK);
  MPI_Comm_free(&made);
  MPI_Dist_graph_create_adjacent(alone, 1, &none, MPI_UNWEIGHTED, 1, &none, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  CHECK(class_of(MPI_Dist_graph_neighbors(made, -1, one, MPI_UNWEIGHTED, 1, other, MPI_UNWEIGHTED)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Dist_graph_neighbors(made, 1, one, MPI_UNWEIGHTED, -1, other, MPI_UNWEIGHTED)) == MPI_ERR_ARG);
  MPI_Comm_free(&made);
  MPI_Cart_create(alone, 1, &all, &goes_round, 0, &made);
  CHECK(class_of(MPI_Cart_get(made, -1, one, other, third)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Cart_coords(made, 0, -1, one)) == MPI_ERR_ARG);
  MPI_Comm_free(&made);
  CHECK(one[0] == -7 && other[0] == -7 && third[0] == -7);
  MPI_Comm_free(&alone);
}

/* --- graphs of which each task knows a part --- */

static int weight(int from, int to) { return 20 * from + to + 1; }

/* Each task sends to the two behind it. */
static struct Place two_behind(void) {
  struct Place here = {.rank = rank, .sources = 2, .destinations = 2};
  for (int i = 0; i < 2; ++i) {
    here.to[i] = (rank + 1 + i) % size;
    here.from[i] = (rank + 2 * size - 1 - i) % size;
  }
  return here;
}

/* All send to the first task. */
static struct Place all_to_the_first(void) {
  struct Place here = {.rank = rank, .sources = rank == 0 ? size - 1 : 0, .destinations = rank == 0 ? 0 : 1};
  for (int i = 0; i < here.sources; ++i) here.from[i] = size - 1 - i;
  return here;
}

static void check_counts(const struct Place* here, int is_weighted) {
  int sources = -1, destinations = -1, weighted = -1;
  CHECK(kind_of(here->comm) == MPI_DIST_GRAPH);
  MPI_Dist_graph_neighbors_count(here->comm, &sources, &destinations, &weighted);
  CHECK(sources == here->sources && destinations == here->destinations && !weighted == !is_weighted);
}

static void check_adjacent(struct Place here, int is_weighted) {
  int weights_in[most], weights_out[most], from[most], to[most], came_in[most], came_out[most];
  for (int i = 0; i < here.sources; ++i) weights_in[i] = weight(here.from[i], rank);
  for (int i = 0; i < here.destinations; ++i) weights_out[i] = weight(rank, here.to[i]);
  const int* in_given = here.sources > 0 ? weights_in : MPI_WEIGHTS_EMPTY;
  const int* out_given = here.destinations > 0 ? weights_out : MPI_WEIGHTS_EMPTY;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, here.sources, here.from, is_weighted ? in_given : MPI_UNWEIGHTED,
                                 here.destinations, here.to, is_weighted ? out_given : MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &here.comm);
  check_counts(&here, is_weighted);
  for (int i = 0; i < most; ++i) from[i] = to[i] = came_in[i] = came_out[i] = -7;
  MPI_Dist_graph_neighbors(here.comm, here.sources, from, is_weighted ? came_in : MPI_UNWEIGHTED, here.destinations,
                           to, is_weighted ? came_out : MPI_UNWEIGHTED);
  for (int i = 0; i < here.sources; ++i) CHECK(from[i] == here.from[i]);
  for (int i = 0; i < here.destinations; ++i) CHECK(to[i] == here.to[i]);
  for (int i = 0; is_weighted && i < here.sources; ++i) CHECK(came_in[i] == weights_in[i]);
  for (int i = 0; is_weighted && i < here.destinations; ++i) CHECK(came_out[i] == weights_out[i]);
  CHECK(from[here.sources] == -7 && to[here.destinations] == -7);
  CHECK(came_in[is_weighted ? here.sources : 0] == -7 && came_out[is_weighted ? here.destinations : 0] == -7);
  check_exchanges(&here);
  MPI_Comm_free(&here.comm);
}

static int ascending(const void* one, const void* other) { return *(const int*)one - *(const int*)other; }

/* Both lists, each with its weight, whatever their order. */
static void check_same_edges(const int* found, const int* weights, const int* wanted, int count, int is_source) {
  int one[most], other[most];
  for (int i = 0; i < count; ++i) {
    one[i] = found[i];
    other[i] = wanted[i];
    if (weights != NULL) CHECK(weights[i] == (is_source ? weight(found[i], rank) : weight(rank, found[i])));
  }
  qsort(one, count, sizeof(int), ascending);
  qsort(other, count, sizeof(int), ascending);
  for (int i = 0; i < count; ++i) CHECK(one[i] == other[i]);
}

enum { each_the_next, first_all };

/* Each task tells of the next one's edges, or the first task of all. */
static void check_told_by_others(struct Place here, int who, int is_weighted) {
  int sources[most_tasks], degrees[most_tasks], to[2 * most_tasks], weights[2 * most_tasks];
  const int nodes = who == each_the_next ? 1 : rank == 0 ? size : 0;
  for (int i = 0; i < nodes; ++i) {
    sources[i] = who == each_the_next ? (rank + 1) % size : i;
    degrees[i] = 2;
    for (int j = 0; j < 2; ++j) {
      to[2 * i + j] = (sources[i] + 1 + j) % size;
      weights[2 * i + j] = weight(sources[i], to[2 * i + j]);
    }
  }
  const int* given = nodes > 0 ? weights : MPI_WEIGHTS_EMPTY;
  MPI_Dist_graph_create(MPI_COMM_WORLD, nodes, sources, degrees, to, is_weighted ? given : MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &here.comm);
  check_counts(&here, is_weighted);
  int found_from[most], found_to[most], came_in[most] = {-7}, came_out[most] = {-7};
  MPI_Dist_graph_neighbors(here.comm, 2, found_from, came_in, 2, found_to, came_out);
  check_same_edges(found_from, is_weighted ? came_in : NULL, here.from, 2, 1);
  check_same_edges(found_to, is_weighted ? came_out : NULL, here.to, 2, 0);
  /* Where there are no weights, nothing is told of them. */
  CHECK(is_weighted || (came_in[0] == -7 && came_out[0] == -7));
  memcpy(here.from, found_from, sizeof found_from);
  memcpy(here.to, found_to, sizeof found_to);
  check_exchanges(&here);
  MPI_Comm_free(&here.comm);
}

static void check_wrong_parts(MPI_Comm forgiving) {
  MPI_Comm made;
  const int outside[2] = {-1, size}, here = 0, one = 1, negative = -1;
  for (int i = 0; i < 2; ++i) {
    CHECK(class_of(MPI_Dist_graph_create_adjacent(forgiving, 1, &outside[i], MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                                  MPI_INFO_NULL, 0, &made)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Dist_graph_create_adjacent(forgiving, 0, NULL, MPI_UNWEIGHTED, 1, &outside[i], MPI_UNWEIGHTED,
                                                  MPI_INFO_NULL, 0, &made)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Dist_graph_create(forgiving, 1, &outside[i], &one, &here, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                         &made)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Dist_graph_create(forgiving, 1, &here, &one, &outside[i], MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                         &made)) == MPI_ERR_ARG);
  }
  CHECK(class_of(MPI_Dist_graph_create(forgiving, 1, &here, &negative, &here, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                       &made)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Dist_graph_create(forgiving, 1, &here, &one, &here, &negative, MPI_INFO_NULL, 0, &made)) ==
        MPI_ERR_ARG);
  CHECK(class_of(MPI_Dist_graph_create_adjacent(forgiving, 1, &here, &negative, 1, &here, &one, MPI_INFO_NULL, 0,
                                                &made)) == MPI_ERR_ARG);
  /* Edges have weights, where there are weights. */
  CHECK(class_of(MPI_Dist_graph_create_adjacent(forgiving, 1, &here, MPI_WEIGHTS_EMPTY, 1, &here, &one, MPI_INFO_NULL,
                                                0, &made)) == MPI_ERR_ARG);
}

/* --- grids --- */

/* Neighbours as MPI_Cart_shift tells them, dimension by dimension. */
static struct Place in_the_grid(MPI_Comm grid, int dimensions) {
  struct Place here = {.comm = grid, .sources = 2 * dimensions, .destinations = 2 * dimensions};
  MPI_Comm_rank(grid, &here.rank);
  for (int i = 0; i < dimensions; ++i) MPI_Cart_shift(grid, i, 1, &here.from[2 * i], &here.from[2 * i + 1]);
  memcpy(here.to, here.from, sizeof here.from);
  return here;
}

/* The first dimension goes round, the second ends. With five tasks the last is not in the grid. */
static void check_parts_of_a_grid(void) {
  const int dims[2] = {size >= 4 ? 2 : size, size >= 4 ? size / 2 : 1}, periods[2] = {1, 0};
  int dimensions = -1, found[2], goes_round[2], at[2], again = -1, both[2] = {-1, -1};
  MPI_Comm grid, part;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  CHECK((grid == MPI_COMM_NULL) == (rank >= dims[0] * dims[1]));
  if (grid == MPI_COMM_NULL) return;
  CHECK(kind_of(grid) == MPI_CART);
  MPI_Cartdim_get(grid, &dimensions);
  MPI_Cart_get(grid, 2, found, goes_round, at);
  CHECK(dimensions == 2 && found[0] == dims[0] && found[1] == dims[1] && goes_round[0] && !goes_round[1]);
  CHECK(at[0] == rank / dims[1] && at[1] == rank % dims[1]);
  MPI_Cart_rank(grid, at, &again);
  MPI_Cart_coords(grid, rank, 2, both);
  CHECK(again == rank && both[0] == at[0] && both[1] == at[1]);
  const struct Place here = in_the_grid(grid, 2);
  check_exchanges(&here);

  for (int kept = 0; kept < 4; ++kept) {
    const int remain[2] = {kept & 1, kept >> 1};
    const int tasks_wanted = (remain[0] ? dims[0] : 1) * (remain[1] ? dims[1] : 1);
    int tasks = -1, own = -1, sum[2], wanted[2] = {0, 0};
    MPI_Cart_sub(grid, remain, &part);
    MPI_Comm_size(part, &tasks);
    MPI_Comm_rank(part, &own);
    MPI_Cartdim_get(part, &dimensions);
    CHECK(kind_of(part) == MPI_CART && dimensions == remain[0] + remain[1] && tasks == tasks_wanted);
    MPI_Cart_get(part, 2, found, goes_round, both);
    for (int i = 0, next = 0; i < 2; ++i) {
      if (!remain[i]) continue;
      CHECK(found[next] == dims[i] && !goes_round[next] == !periods[i] && both[next] == at[i]);
      ++next;
    }
    CHECK(own == (kept == 3 ? rank : kept == 0 ? 0 : both[0]));
    /* Along what is kept coordinates take all values, along what is not there is one. */
    MPI_Allreduce(at, sum, 2, MPI_INT, MPI_SUM, part);
    for (int i = 0; i < 2; ++i) {
      wanted[i] = remain[i] ? tasks * (dims[i] - 1) / 2 : tasks * at[i];
      CHECK(sum[i] == wanted[i]);
    }
    const struct Place there = in_the_grid(part, dimensions);
    check_exchanges(&there);
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&grid);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm forgiving;
  MPI_Comm_dup(MPI_COMM_WORLD, &forgiving);
  MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN);
  if (size <= most_tasks) {
    check_row(size);
    check_row((size + 1) / 2);
    check_wrong_graphs(forgiving);
    check_negative_room(forgiving);
    for (int is_weighted = 0; is_weighted < 2; ++is_weighted) {
      check_adjacent(two_behind(), is_weighted);
      check_adjacent(all_to_the_first(), is_weighted);
      check_told_by_others(two_behind(), each_the_next, is_weighted);
      check_told_by_others(two_behind(), first_all, is_weighted);
    }
    check_wrong_parts(forgiving);
    check_parts_of_a_grid();
  }
  MPI_Comm_free(&forgiving);
  return finish();
}
