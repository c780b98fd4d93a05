#include "kernels/cg/vectors.hpp"

#include <vector>

namespace nasvm::cg {
namespace {

/// Calls `work(thread)` on each of the threads, and adds up what the calls return.
template <typename Work>
double sum_over_threads(int threads, Work work) {
  if (threads == 1) return work(0);
  std::vector<double> sums(static_cast<std::size_t>(threads));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int thread = 0; thread < threads; ++thread) sums[static_cast<std::size_t>(thread)] = work(thread);
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

/// The updates of p, z, s and r over a range of the span inside the piece. Returns r . r over it.
double advance_own(const StepVectors& vectors, double alpha, double beta, Range range) {
  double* const p = vectors.p - vectors.own.begin;
  double* const z = vectors.z - vectors.own.begin;
  double* const r = vectors.r;
  double* const s = vectors.s;
  const double* const w = vectors.w;
  double square = 0;
#pragma omp simd reduction(+ : square)
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    p[i] = r[i] + beta * p[i];
    z[i] += alpha * p[i];
    s[i] = w[i] + beta * s[i];
    r[i] -= alpha * s[i];
    square += r[i] * r[i];
  }
  return square;
}

/// The updates of s and r over a range of the span.
void advance_shared(const StepVectors& vectors, double alpha, double beta, Range range) {
  double* const r = vectors.r;
  double* const s = vectors.s;
  const double* const w = vectors.w;
#pragma omp simd
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    s[i] = w[i] + beta * s[i];
    r[i] -= alpha * s[i];
  }
}

/// The next direction over a range of the span.
void turn_shared(const DirectionVectors& vectors, double beta, Range range) {
  double* const p = vectors.p;
  const double* const r = vectors.r;
#pragma omp simd
  for (std::int64_t i = range.begin; i < range.end; ++i) p[i] = r[i] + beta * p[i];
}

/// The updates of z and p over a range of the span inside the piece.
void turn_own(const DirectionVectors& vectors, double alpha, double beta, Range range) {
  double* const z = vectors.z - vectors.own.begin;
  double* const p = vectors.p;
  const double* const r = vectors.r;
#pragma omp simd
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    z[i] += alpha * p[i];
    p[i] = r[i] + beta * p[i];
  }
}

}  // namespace

double dot(const double* a, const double* b, std::int64_t size, int threads) {
  return sum_over_threads(threads, [=](int thread) {
    const Range part = share(size, threads, thread);
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = part.begin; i < part.end; ++i) sum += a[i] * b[i];
    return sum;
  });
}

double square_of_difference(const double* a, const double* b, std::int64_t size, int threads) {
  return sum_over_threads(threads, [=](int thread) {
    const Range part = share(size, threads, thread);
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = part.begin; i < part.end; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
  });
}

void fill(double* a, std::int64_t size, double value, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static) if (threads > 1)
  for (std::int64_t i = 0; i < size; ++i) a[i] = value;
}

void copy(const double* from, double* to, std::int64_t size, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static) if (threads > 1)
  for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
}

void scale(double factor, const double* from, double* to, std::int64_t size, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static) if (threads > 1)
  for (std::int64_t i = 0; i < size; ++i) to[i] = factor * from[i];
}

void add_scaled(double factor, const double* from, double* to, std::int64_t size, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static) if (threads > 1)
  for (std::int64_t i = 0; i < size; ++i) to[i] += factor * from[i];
}

double subtract(double alpha, const double* q, double* r, std::int64_t size, int threads) {
  return sum_over_threads(threads, [=](int thread) {
    const Range part = share(size, threads, thread);
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      r[i] -= alpha * q[i];
      square += r[i] * r[i];
    }
    return square;
  });
}

void turn(const DirectionVectors& vectors, double alpha, double beta, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int thread = 0; thread < threads; ++thread) {
    turn_shared(vectors, beta, share(Range{0, vectors.own.begin}, threads, thread));
    turn_shared(vectors, beta, share(Range{vectors.own.end, vectors.size}, threads, thread));
    turn_own(vectors, alpha, beta, share(vectors.own, threads, thread));
  }
}

double advance(const StepVectors& vectors, double alpha, double beta, int threads) {
  return sum_over_threads(threads, [=](int thread) {
    advance_shared(vectors, alpha, beta, share(Range{0, vectors.own.begin}, threads, thread));
    advance_shared(vectors, alpha, beta, share(Range{vectors.own.end, vectors.size}, threads, thread));
    return advance_own(vectors, alpha, beta, share(vectors.own, threads, thread));
  });
}

}  // namespace nasvm::cg
