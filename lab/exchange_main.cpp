/// \file
/// nasvm-lab-exchange FILE RANK: carries out the exchange that FILE describes (lab/exchange.hpp) as rank RANK, on the
/// host of that rank. Rank 0 prints the seconds it took. Started by `nasvm reproduce`.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "lab/exchange.hpp"
#include "vm/status.hpp"

namespace {

/// Every host of a lab has ports of its own.
constexpr std::uint16_t port = 7094;

void carry_out(const char* file, const char* rank_text) {
  std::ifstream text(file);
  if (!text) throw nasvm::UsageError(std::string("cannot read ") + file);
  const nasvm::lab::ExchangePlan plan = nasvm::lab::read_exchange_plan(text);
  const int rank = std::atoi(rank_text);
  if (rank < 0 || rank >= plan.ranks()) throw nasvm::UsageError(std::string("no rank ") + rank_text);
  const auto time = nasvm::lab::exchange(plan, rank, port);
  if (rank == 0) std::printf("%.6f\n", time.count());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw nasvm::UsageError("expected FILE RANK");
    carry_out(argv[1], argv[2]);
    return 0;
  } catch (const std::exception&) {
    const auto complaint = nasvm::current_complaint();
    std::fprintf(stderr, "nasvm-lab-exchange: %s\n", complaint.text.c_str());
    return static_cast<int>(complaint.exit_status);
  }
}
