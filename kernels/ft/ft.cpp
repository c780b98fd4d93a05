#include "kernels/ft/ft.hpp"

#include <array>
#include <string>

#include "kernels/ft/benchmark.hpp"
#include "kernels/ft/choices.hpp"
#include "kernels/ft/costs.hpp"
#include "kernels/ft/problem.hpp"

namespace nasvm::ft {
namespace {

template <EngineKind engine>
constexpr KernelVariant variant(std::string_view name, std::string_view description) {
  return {
      .name = name,
      .description = description,
      .run =
          [](Comm& comm, const Problem& p) {
            return run_benchmark(comm, parameters(p.problem_class), engine, p.threads, p.checkpoints);
          },
      .memory_bytes = [](const Problem& p,
                         int tasks) { return memory_bytes(parameters(p.problem_class), engine, tasks, p.threads); },
      .traffic = [](const Problem& p,
                    int tasks) { return traffic(parameters(p.problem_class), engine, tasks, p.threads); },
      .work = engine == EngineKind::paper ? paper_work : work,
      .checkpoints = true,
  };
}

constexpr std::array variants{
    variant<EngineKind::fused>("tuned",
                               "transforms of our own, planes along x and y in one sweep, messages in chunks"),
    variant<EngineKind::fftw>("fftw", "FFTW's transforms, whole fields transposed between them"),
    variant<EngineKind::paper>("paper",
                               "as on PVM in 1994: the field stays in slabs, two transposes for each transform"),
};

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
    .mega_operations = [](const Problem& p) { return mega_operations(parameters(p.problem_class)); },
    .size_text = size_text,
    .iterations = [](const Problem& p) { return parameters(p.problem_class).iterations(); },
    .operation_type = "floating point",
    .verification_lines = {" Result verification successful", " Result verification failed"},
    .choices = choices,
};

}  // namespace nasvm::ft
