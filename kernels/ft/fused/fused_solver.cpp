#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <stdexcept>

#include "kernels/ft/checksum.hpp"
#include "kernels/ft/field.hpp"
#include "kernels/ft/fused/chunked_transpose.hpp"
#include "kernels/ft/fused/pencils.hpp"
#include "kernels/ft/fused/planes.hpp"
#include "kernels/ft/solver.hpp"
#include "vm/windows.hpp"

namespace nasvm::ft {
namespace {

double* doubles(Field& field) { return reinterpret_cast<double*>(field.data()); }

/// Points that hold that many doubles; never none.
std::int64_t points_for(std::int64_t doubles) { return doubles / 2 + 1; }

/// Room for two results of transposes, which are used in turns. So a task may store in others' memory without asking:
/// it begins a transpose when it has got all messages of the one before, and whoever sent those was done, X included,
/// with what the one before that had left, in the same half. Null where not all send to all, or have no memory in
/// common.
std::unique_ptr<Windows> open_windows(Comm& comm, const Grid& grid, std::int64_t doubles) {
  constexpr std::int64_t line = 64 / sizeof(double);
  const std::int64_t whole = (doubles + line - 1) / line * line;
  if (comm.size() > std::min(grid.ny, grid.nz)) return nullptr;
  return Windows::open(comm, static_cast<std::size_t>(2 * whole) * sizeof(double));
}

class FusedSolver final : public Solver {
 public:
  FusedSolver(Comm& comm, const Grid& grid, int threads);
  void start() override;
  Complex checksum_at(int t) override;
  KernelState state() override;

 private:
  void touch(Field& field) const;
  double* scratch() { return doubles(scratch_[static_cast<std::size_t>(omp_get_thread_num())]); }
  [[nodiscard]] std::int64_t row_spectrum_doubles() const { return 2 * grid_.nx * grid_.nz; }
  /// Of either transpose.
  [[nodiscard]] std::int64_t result_doubles() const {
    return std::max(to_frequency_.result_doubles(), to_space_.result_doubles());
  }
  /// Of that task, in its window: where the next transpose puts its result, or the last one has.
  [[nodiscard]] double* result_of(Rank task) const;
  void transpose(ChunkedTranspose& transpose, const ChunkedTranspose::Make& make);
  /// Where the parts of each item are after it.
  std::vector<double*> arrived(const ChunkedTranspose& transpose, std::int64_t items);

  Comm& comm_;
  Grid grid_;
  int threads_;
  PlaneTransform planes_;
  PencilTransform pencils_;
  ChunkedTranspose to_frequency_;  ///< items are planes, parts y-rows
  ChunkedTranspose to_space_;      ///< items are y-rows, parts planes
  std::unique_ptr<Windows> windows_;
  std::size_t turn_ = 0;        ///< which half of the windows
  Field work_;                  ///< what has been transposed, without windows; X is made of it in place
  Field buffers_;               ///< of the transposes, without windows
  Field spectrum_;              ///< V: for each of this task's y-rows its pencils
  std::vector<Field> scratch_;  ///< one for each thread
};

FusedSolver::FusedSolver(Comm& comm, const Grid& grid, int threads)
    : comm_(comm),
      grid_(grid),
      threads_(threads),
      planes_(grid),
      pencils_(grid),
      to_frequency_(comm, to_frequency_shape(grid, comm.size(), threads), threads),
      to_space_(comm, to_space_shape(grid, comm.size(), threads), threads),
      windows_(open_windows(comm, grid, result_doubles())),
      work_(points_for(windows_ ? 0 : result_doubles())),
      buffers_(points_for(windows_ ? 0 : std::max(to_frequency_.buffers_doubles(), to_space_.buffers_doubles()))),
      spectrum_(points_for(to_space_.own_items().size() * row_spectrum_doubles())) {
  const std::int64_t scratch = std::max(planes_.scratch_doubles(), pencils_.scratch_doubles());
  for (int thread = 0; thread < threads; ++thread) scratch_.emplace_back(points_for(scratch));
  for (Field* field : {&work_, &buffers_, &spectrum_}) touch(*field);
}

void FusedSolver::touch(Field& field) const {
  const auto points = static_cast<std::int64_t>(field.size());
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::int64_t i = 0; i < points; ++i) field.data()[i] = 0;
}

double* FusedSolver::result_of(Rank task) const {
  const std::span<std::byte> window = windows_->of(task);
  return reinterpret_cast<double*>(window.data() + turn_ * (window.size() / 2));
}

void FusedSolver::transpose(ChunkedTranspose& transpose, const ChunkedTranspose::Make& make) {
  if (windows_ == nullptr) return transpose.run(make, doubles(work_), doubles(buffers_));
  turn_ = 1 - turn_;
  std::vector<double*> results;
  for (Rank task = 0; task < comm_.size(); ++task) results.push_back(result_of(task));
  transpose.run_in_place(make, results);
}

std::vector<double*> FusedSolver::arrived(const ChunkedTranspose& transpose, std::int64_t items) {
  double* const result = windows_ ? result_of(comm_.rank()) : doubles(work_);
  std::vector<double*> rows;
  for (std::int64_t item = 0; item < items; ++item) rows.push_back(result + transpose.place(item));
  return rows;
}

void FusedSolver::start() {
  planes_.make_roots();
  pencils_.make_roots();
  const auto make_plane = [&](std::int64_t z, std::span<const RowTarget> rows) {
    planes_.forward(z, rows, scratch());
  };
  transpose(to_frequency_, make_plane);
  const std::vector<double*> planes = arrived(to_frequency_, grid_.nz);
  const std::int64_t rows = to_space_.own_items().size();
#pragma omp parallel num_threads(threads_)
  {
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
      pencils_.forward(planes.data(), row * 2 * grid_.nx, doubles(spectrum_) + row * row_spectrum_doubles(),
                       scratch());
    }
    // Other threads read these pencils.
    order_stores_past_cache();
  }
}

Complex FusedSolver::checksum_at(int t) {
  const Evolution evolution(grid_, t);
  const auto make_row = [&](std::int64_t y, std::span<const RowTarget> targets) {
    const double* const spectrum = doubles(spectrum_) + (y - to_space_.own_items().begin) * row_spectrum_doubles();
    pencils_.inverse(spectrum, evolution, y, targets, scratch());
  };
  transpose(to_space_, make_row);
  const std::vector<double*> rows = arrived(to_space_, grid_.ny);
  const std::int64_t row_doubles = 2 * grid_.nx;
  const Range planes = to_frequency_.own_items();
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::int64_t plane = 0; plane < planes.size(); ++plane) {
    planes_.inverse(rows.data(), plane * row_doubles, scratch());
  }
  const auto value = [&](std::int64_t plane, std::int64_t y, std::int64_t x) {
    const PlaneTransform::Place place = planes_.place(x, y);
    const double* const number = rows[static_cast<std::size_t>(place.row)] + plane * row_doubles + place.in_row;
    return Complex(number[0], number[block_lines]);
  };
  std::array<Complex, 1> sum{checksum_share(grid_, planes, value)};
  comm_.reduce(sum);
  return sum[0];
}

KernelState FusedSolver::state() {
  const Range rows = to_space_.own_items();
  const auto row_bytes = static_cast<std::uint64_t>(row_spectrum_doubles()) * sizeof(double);
  const auto own = std::span(doubles(spectrum_), static_cast<std::size_t>(rows.size() * row_spectrum_doubles()));
  return {.layout = "V by y, then groups of pencils",
          .array_bytes = static_cast<std::uint64_t>(grid_.points()) * sizeof(Complex),
          .pieces = {{static_cast<std::uint64_t>(rows.begin) * row_bytes, std::as_writable_bytes(own)}}};
}

bool power_of_two_from(std::int64_t least, std::int64_t n) {
  return n >= least && std::has_single_bit(static_cast<std::uint64_t>(n));
}

}  // namespace

bool fused_takes(const Grid& grid) {
  return power_of_two_from(32, grid.nx) && power_of_two_from(64, grid.ny) && power_of_two_from(32, grid.nz);
}

std::unique_ptr<Solver> make_fused_solver(Comm& comm, const Grid& grid, int threads) {
  if (!fused_takes(grid))
    throw std::invalid_argument("ft: the fused engine takes powers of two, 32 x 64 x 32 and more");
  return std::make_unique<FusedSolver>(comm, grid, threads);
}

}  // namespace nasvm::ft
