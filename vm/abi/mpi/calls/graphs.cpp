// MPI-3.1, sections 7.5.3 to 7.5.5: graphs.

#include <algorithm>
#include <array>

#include "mpi_api.hpp"
#include "vm/abi/mpi/topology.hpp"

namespace nasvm::mpi {
namespace {

/// The edges of a node begin where those of the one before end.
std::span<const int> edges_of(const Topology& graph_topology, int rank) {
  const auto at = static_cast<std::size_t>(rank);
  const int begin = rank == 0 ? 0 : graph_topology.index[at - 1];
  return std::span(graph_topology.edges)
      .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(graph_topology.index[at] - begin));
}

}  // namespace

Neighbours neighbours_of(const Communicator& comm) {
  require(comm.topology.has_value(), err_topology);
  const Topology& topology = *comm.topology;
  if (topology.kind == distributed_graph) return {topology.sources, topology.destinations};
  std::vector<int> both;
  if (topology.kind == graph) {
    const auto edges = edges_of(topology, comm.rank());
    both.assign(edges.begin(), edges.end());
  } else {
    std::vector<int> place = coordinates_of(topology, comm.rank());
    for (int& along : place) {
      for (const int step : {-1, 2}) {
        along += step;
        both.push_back(rank_at(topology, place));
      }
      along -= 1;
    }
  }
  return {both, both};
}

namespace api {
namespace {

/// Fails unless the tasks are enough, each node's edges end no sooner than they begin, and all lead to nodes.
void check_graph(const Communicator* comm, int nnodes, const int* index, const int* edges) {
  check_intra(comm);
  require(nnodes >= 0 && nnodes <= comm->size(), err_arg);
  int end = 0;
  for (int node = 0; node < nnodes; ++node) {
    require(index[node] >= end, err_arg);
    end = index[node];
  }
  for (int edge = 0; edge < end; ++edge) require(edges[edge] >= 0 && edges[edge] < nnodes, err_arg);
}

}  // namespace

void graph_create(Communicator* comm, int nnodes, const int* index, const int* edges, int, Communicator*& newcomm) {
  check_graph(comm, nnodes, index, edges);
  Topology made;
  made.kind = graph;
  made.index.assign(index, index + nnodes);
  if (nnodes > 0) made.edges.assign(edges, edges + made.index.back());
  comm_split(comm, comm->rank() < nnodes ? 0 : undefined, comm->rank(), newcomm);
  if (newcomm != nullptr) newcomm->topology = std::move(made);
}

void graphdims_get(Communicator* comm, int* nnodes, int* nedges) {
  const Topology& of = topology_of(comm, graph);
  *nnodes = static_cast<int>(of.index.size());
  *nedges = static_cast<int>(of.edges.size());
}

void graph_get(Communicator* comm, int maxindex, int maxedges, int* index, int* edges) {
  const Topology& of = topology_of(comm, graph);
  require(maxindex >= 0 && maxedges >= 0, err_arg);
  std::copy_n(of.index.begin(), std::min(of.index.size(), static_cast<std::size_t>(maxindex)), index);
  std::copy_n(of.edges.begin(), std::min(of.edges.size(), static_cast<std::size_t>(maxedges)), edges);
}

void graph_neighbors_count(Communicator* comm, int rank, int* count) {
  const Topology& of = topology_of(comm, graph);
  require(rank >= 0 && rank < comm->size(), err_rank);
  *count = static_cast<int>(edges_of(of, rank).size());
}

void graph_neighbors(Communicator* comm, int rank, int maxneighbors, int* neighbors) {
  const Topology& of = topology_of(comm, graph);
  require(rank >= 0 && rank < comm->size(), err_rank);
  require(maxneighbors >= 0, err_arg);
  const auto edges = edges_of(of, rank);
  std::copy_n(edges.begin(), std::min(edges.size(), static_cast<std::size_t>(maxneighbors)), neighbors);
}

void graph_map(Communicator* comm, int nnodes, const int* index, const int* edges, int* newrank) {
  check_graph(comm, nnodes, index, edges);
  require(nnodes > 0, err_arg);
  *newrank = comm->rank() < nnodes ? comm->rank() : undefined;
}

void topo_test(Communicator* comm, int* status) {
  check_comm(comm);
  *status = comm->topology.has_value() ? static_cast<int>(comm->topology->kind) : undefined;
}

// --- distributed graphs
// ---------------------------------------------------------------------------------------------

void dist_graph_create_adjacent(Communicator* comm, int indegree, const int* sources, const int* sourceweights,
                                int outdegree, const int* destinations, const int* destweights, Info*, int,
                                Communicator*& newcomm) {
  check_intra(comm);
  require(indegree >= 0 && outdegree >= 0, err_arg);
  require(indegree == 0 || sourceweights != weights_empty, err_arg);
  require(outdegree == 0 || destweights != weights_empty, err_arg);
  Topology made;
  made.kind = distributed_graph;
  made.is_weighted = sourceweights != unweighted && destweights != unweighted;
  made.sources.assign(sources, sources + indegree);
  made.destinations.assign(destinations, destinations + outdegree);
  if (made.is_weighted && indegree > 0) made.source_weights.assign(sourceweights, sourceweights + indegree);
  if (made.is_weighted && outdegree > 0) made.destination_weights.assign(destweights, destweights + outdegree);
  for (const int rank : made.sources) require(rank >= 0 && rank < comm->size(), err_arg);
  for (const int rank : made.destinations) require(rank >= 0 && rank < comm->size(), err_arg);
  for (const int weight : made.source_weights) require(weight >= 0, err_arg);
  for (const int weight : made.destination_weights) require(weight >= 0, err_arg);
  comm_split(comm, 0, comm->rank(), newcomm);
  newcomm->topology = std::move(made);
}

namespace {

struct Edge {
  int from, to, weight;
};

/// The edges that this task has described, and those of all others.
std::vector<Edge> all_edges(Comm& comm, const std::vector<Edge>& own) {
  std::vector<std::size_t> lengths(static_cast<std::size_t>(comm.size()));
  const std::array<std::size_t, 1> length{own.size() * sizeof(Edge)};
  comm.allgather(length, lengths);
  std::size_t total = 0;
  for (const std::size_t one : lengths) total += one;
  std::vector<Edge> all(total / sizeof(Edge));
  comm.allgatherv_bytes(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)), lengths, sizeof(int));
  return all;
}

}  // namespace

void dist_graph_create(Communicator* comm, int n, const int* sources, const int* degrees, const int* destinations,
                       const int* weights, Info*, int, Communicator*& newcomm) {
  check_intra(comm);
  require(n >= 0, err_arg);
  const bool is_weighted = weights != unweighted;
  const auto is_rank = [comm](int rank) { return rank >= 0 && rank < comm->size(); };
  std::vector<Edge> own;
  for (int i = 0; i < n; ++i) {
    require(is_rank(sources[i]) && degrees[i] >= 0, err_arg);
    for (int j = 0; j < degrees[i]; ++j) {
      own.push_back({sources[i], *destinations++, is_weighted && weights != weights_empty ? *weights++ : 1});
      require(is_rank(own.back().to) && own.back().weight >= 0, err_arg);
    }
  }
  Topology made;
  made.kind = distributed_graph;
  made.is_weighted = is_weighted;
  for (const Edge& edge : all_edges(comm->collective(), own)) {
    if (edge.from == comm->rank()) {
      made.destinations.push_back(edge.to);
      if (is_weighted) made.destination_weights.push_back(edge.weight);
    }
    if (edge.to == comm->rank()) {
      made.sources.push_back(edge.from);
      if (is_weighted) made.source_weights.push_back(edge.weight);
    }
  }
  comm_split(comm, 0, comm->rank(), newcomm);
  newcomm->topology = std::move(made);
}

void dist_graph_neighbors_count(Communicator* comm, int* indegree, int* outdegree, int* weighted) {
  const Topology& of = topology_of(comm, distributed_graph);
  *indegree = static_cast<int>(of.sources.size());
  *outdegree = static_cast<int>(of.destinations.size());
  *weighted = of.is_weighted ? 1 : 0;
}

void dist_graph_neighbors(Communicator* comm, int maxindegree, int* sources, int* sourceweights, int maxoutdegree,
                          int* destinations, int* destweights) {
  const Topology& of = topology_of(comm, distributed_graph);
  require(maxindegree >= 0 && maxoutdegree >= 0, err_arg);
  const auto give = [](const std::vector<int>& from, int most, int* to) {
    if (to == unweighted || to == weights_empty) return;
    std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(most)), to);
  };
  give(of.sources, maxindegree, sources);
  give(of.source_weights, maxindegree, sourceweights);
  give(of.destinations, maxoutdegree, destinations);
  give(of.destination_weights, maxoutdegree, destweights);
}

}  // namespace api
}  // namespace nasvm::mpi
