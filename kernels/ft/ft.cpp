#include "kernels/ft/ft.hpp"

#include <array>
#include <string>

#include "kernels/ft/benchmark.hpp"
#include "kernels/ft/costs.hpp"
#include "kernels/ft/problem.hpp"
#include "vm/status.hpp"

namespace nasvm::ft {
namespace {

constexpr std::array<std::string_view, 2> variants{"tuned", "fftw"};

EngineKind engine_of(const Problem& problem) {
  if (problem.variant.empty() || problem.variant == "tuned") return EngineKind::fused;
  if (problem.variant == "fftw") return EngineKind::fftw;
  throw UsageError("ft has no variant '" + problem.variant + "'; it has tuned and fftw");
}

Outcome run(Comm& comm, const Problem& problem) {
  return run_benchmark(comm, parameters(problem.problem_class), engine_of(problem), problem.threads);
}

std::string size_text(const Problem& problem) {
  const Grid& grid = parameters(problem.problem_class).grid;
  return std::to_string(grid.nx) + 'x' + std::to_string(grid.ny) + 'x' + std::to_string(grid.nz);
}

}  // namespace

constinit const Kernel kernel{
    .name = "ft",
    .title = "FT",
    .description = "a partial differential equation by 3-D Fourier transforms: few, long messages from all to all",
    .classes = class_letters,
    .variants = variants,
    .run = run,
    .mega_operations = [](const Problem& p) { return mega_operations(parameters(p.problem_class)); },
    .memory_bytes =
        [](const Problem& p, int tasks) {
          return memory_bytes(parameters(p.problem_class), engine_of(p), tasks, p.threads);
        },
    .traffic = [](const Problem& p,
                  int tasks) { return traffic(parameters(p.problem_class), engine_of(p), tasks, p.threads); },
    .work = work,
    .size_text = size_text,
    .iterations = [](const Problem& p) { return parameters(p.problem_class).iterations(); },
    .operation_type = "floating point",
};

}  // namespace nasvm::ft
