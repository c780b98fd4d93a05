#include "harness/commands/p2p/coupled/model.hpp"

#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace nasvm {
namespace {

constexpr Tag coupled_tag = 0;
constexpr int atmosphere_steps = 2;     ///< in one of the ocean
constexpr std::size_t points = 16'384;  ///< of a task: tens of microseconds for a step, as long as some messages take

/// First words of a message.
using Label = std::array<std::int64_t, 2>;  ///< whose, and of which step
static_assert(sizeof(Label) == coupled_least_bytes);

}  // namespace

CoupledModel::CoupledModel(Comm& comm, std::uint64_t halo_bytes, std::function<void(bool)> meeting)
    : comm_(comm), meeting_(std::move(meeting)), grid_(points, 1.0) {
  const int all = comm.size();
  const int atmosphere = atmosphere_tasks(all);
  const Rank rank = comm.rank();
  const bool is_air = is_atmosphere(rank, all);
  const Rank first = is_air ? 0 : atmosphere;
  const int count = is_air ? atmosphere : all - atmosphere;
  const auto with = [](Rank peer, std::uint64_t bytes) {
    return Exchange{peer, std::vector<std::byte>(bytes), std::vector<std::byte>(bytes)};
  };
  if (count > 1) halos_.push_back(with(first + (rank - first + 1) % count, halo_bytes));
  if (count > 2) halos_.push_back(with(first + (rank - first + count - 1) % count, halo_bytes));
  const int ocean = all - atmosphere;
  for (Rank air = 0; air < atmosphere; ++air) {
    const Rank water = atmosphere + air % ocean;
    if (air == rank) partners_.push_back(water);
    if (water == rank) partners_.push_back(air);
  }
  fields_.reserve(partners_.size());
  for (const Rank partner : partners_) fields_.push_back(with(partner, halos_in_field * halo_bytes));
}

void CoupledModel::step() {
  ++steps_;
  const int times = is_atmosphere(comm_.rank(), comm_.size()) ? atmosphere_steps : 1;
  for (int i = 0; i < times; ++i) step_alone();
  meeting_(true);
  exchange(fields_, steps_);
  meeting_(false);
}

void CoupledModel::step_alone() {
  compute();
  exchange(halos_, steps_);
}

void CoupledModel::compute() {
  for (std::size_t i = 1; i + 1 < grid_.size(); ++i) {
    grid_[i] = 0.25 * grid_[i - 1] + 0.5 * grid_[i] + 0.25 * grid_[i + 1];
  }
}

void CoupledModel::exchange(std::vector<Exchange>& exchanges, std::int64_t label) {
  std::vector<Request> requests;
  requests.reserve(2 * exchanges.size());
  for (Exchange& one : exchanges) requests.push_back(comm_.irecv(one.in, one.peer, coupled_tag));
  for (Exchange& one : exchanges) {
    const Label mine{comm_.rank(), label};
    std::memcpy(one.out.data(), mine.data(), sizeof mine);
    requests.push_back(comm_.isend(one.out, one.peer, coupled_tag));
  }
  comm_.wait_all(requests);
  for (const Exchange& one : exchanges) {
    Label found;
    std::memcpy(found.data(), one.in.data(), sizeof found);
    if (found == Label{one.peer, label}) continue;
    complaints_.push_back(fmt::format("task {} got task {}'s message of step {} instead of task {}'s of step {}",
                                      comm_.rank(), found[0], found[1], one.peer, label));
  }
}

}  // namespace nasvm
