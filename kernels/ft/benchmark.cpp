#include "kernels/ft/benchmark.hpp"

#include <fmt/format.h>

#include <vector>

#include "kernels/ft/checksum.hpp"

namespace nasvm::ft {
namespace {

std::vector<Complex> solve(Solver& solver, int iterations) {
  std::vector<Complex> checksums;
  solver.start();
  for (int t = 1; t <= iterations; ++t) checksums.push_back(solver.checksum_at(t));
  return checksums;
}

}  // namespace

Outcome run_benchmark(Comm& comm, const Parameters& problem, EngineKind engine, int threads) {
  const std::unique_ptr<Solver> solver = make_solver(engine, comm, problem.grid, threads);
  solver->start();

  Outcome outcome;
  comm.barrier();
  const TimedRegion timed(comm);
  std::vector<Complex> checksums = solve(*solver, problem.iterations());
  Verification verification = verify(checksums, problem.checksums);
  timed.stop(outcome);

  // Only rank 0 had the sums; now everyone gets them and the same verdict.
  comm.broadcast(checksums);
  verification = verify(checksums, problem.checksums);
  outcome.verified = verification.verified;
  outcome.details = {{"checksum", fmt::format("{:.12e} {:.12e}", checksums.back().real(), checksums.back().imag())},
                     {"error", fmt::format("{:.1e}", verification.worst_error)}};
  return outcome;
}

}  // namespace nasvm::ft
