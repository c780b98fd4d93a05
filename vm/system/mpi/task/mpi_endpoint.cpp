#include "vm/system/mpi/task/mpi_endpoint.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <exception>
#include <numeric>
#include <utility>

#include "vm/status.hpp"
#include "vm/too_short.hpp"

namespace nasvm {
namespace {

/// `bytes` bytes as MPI counts them: an int of MPI_BYTE, or where that does not suffice one element of a type made
/// for it.
class Extent {
 public:
  explicit Extent(std::size_t bytes) {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr std::size_t block = std::size_t{1} << 30;
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    MPI_Type_vector(static_cast<int>(bytes / block), block, block, MPI_BYTE, &blocks);
    int lengths[] = {1, static_cast<int>(bytes % block)};
    MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes - bytes % block)};
    MPI_Datatype parts[] = {blocks, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, places, parts, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&blocks);
    count_ = 1;
  }
  ~Extent() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);  // operations that use it keep it
  }
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int count_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

/// For each rank of the world. Collective.
std::vector<bool> ranks_of_this_host(int tasks) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int neighbours = 0;
  MPI_Comm_size(host, &neighbours);
  MPI_Group here = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(host, &here);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<int> of_host(static_cast<std::size_t>(neighbours));
  std::iota(of_host.begin(), of_host.end(), 0);
  std::vector<int> of_world(of_host.size());
  MPI_Group_translate_ranks(here, neighbours, of_host.data(), all, of_world.data());
  MPI_Group_free(&here);
  MPI_Group_free(&all);
  MPI_Comm_free(&host);
  std::vector<bool> ranks(static_cast<std::size_t>(tasks));
  for (const int rank : of_world) ranks[static_cast<std::size_t>(rank)] = true;
  return ranks;
}

int mpi_tag(Tag tag) { return tag == any_tag ? MPI_ANY_TAG : tag; }

}  // namespace

MpiEndpoint::MpiEndpoint(bool native_collectives) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  on_this_host_ = ranks_of_this_host(size_);
  if (native_collectives) collectives_ = std::make_unique<MpiCollectives>(contexts_);
}

// --- operations in flight ---------------------------------------------------------------------------------------

void MpiEndpoint::add(Operation& operation, MPI_Request request) {
  operation.serial = operations_.size();
  operations_.push_back(&operation);
  requests_.push_back(request);
}

void MpiEndpoint::remove(const Operation& operation) {
  operations_[operation.serial] = operations_.back();
  requests_[operation.serial] = requests_.back();
  operations_[operation.serial]->serial = operation.serial;
  operations_.pop_back();
  requests_.pop_back();
}

Status MpiEndpoint::to_status(const MpiGroup& group, const MPI_Status& status) const {
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return {group.world_of[static_cast<std::size_t>(status.MPI_SOURCE)], status.MPI_TAG,
          static_cast<std::size_t>(bytes)};
}

void MpiEndpoint::finish(Operation& operation, int code, const MPI_Status& status) {
  remove(operation);
  int error_class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  if (error_class == MPI_ERR_TRUNCATE) {
    operation.status = to_status(contexts_.group(operation.context), status);
    operation.abandoned = true;
    complain_of_length(operation);
  }
  operation.complete = true;
  if (operation.kind == Operation::Kind::send) return check_mpi(code, "sending by MPI");
  operation.arrived = ticks_now();
  check_mpi(code, "receiving by MPI");
  operation.status = to_status(contexts_.group(operation.context), status);
}

// --- starting ---------------------------------------------------------------------------------------------------

void MpiEndpoint::start(Operation& operation) {
  const MpiGroup& group = contexts_.group(operation.context);
  const MPI_Comm communicator = group.communicator(operation.context);
  const Extent extent(operation.bytes);
  const int peer =
      operation.peer == any_source ? MPI_ANY_SOURCE : group.member_of[static_cast<std::size_t>(operation.peer)];
  MPI_Request request = MPI_REQUEST_NULL;
  if (operation.kind == Operation::Kind::receive) {
    check_mpi(MPI_Irecv(operation.data, extent.count(), extent.type(), peer, mpi_tag(operation.tag), communicator,
                        &request),
              "MPI_Irecv");
  } else if (operation.peer == rank_) {
    return send_to_self(operation, communicator, peer);
  } else {
    check_mpi(MPI_Isend(operation.data, extent.count(), extent.type(), peer, operation.tag, communicator, &request),
              "MPI_Isend");
  }
  add(operation, request);
}

void MpiEndpoint::send_to_self(Operation& operation, MPI_Comm communicator, int self) {
  std::erase_if(self_sends_, [](SelfSend& send) {
    int done = 0;
    check_mpi(MPI_Test(&send.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
  SelfSend send{std::make_unique_for_overwrite<std::byte[]>(operation.bytes)};
  if (operation.bytes > 0) std::memcpy(send.copy.get(), operation.data, operation.bytes);
  const Extent extent(operation.bytes);
  check_mpi(
      MPI_Isend(send.copy.get(), extent.count(), extent.type(), self, operation.tag, communicator, &send.request),
      "MPI_Isend");
  self_sends_.push_back(std::move(send));
  operation.complete = true;
}

// --- waiting ----------------------------------------------------------------------------------------------------

void MpiEndpoint::wait_one(Operation& operation) {
  if (operation.complete) return;
  if (operation.abandoned) complain_of_length(operation);
  MPI_Status status;
  const int code = MPI_Wait(&requests_[operation.serial], &status);
  finish(operation, code, status);
}

void MpiEndpoint::wait_any(std::span<Operation* const> operations) {
  if (operations.size() == 1 && operations[0] != nullptr) return wait_one(*operations[0]);
  std::vector<MPI_Request> requests;
  std::vector<Operation*> owners;
  const auto is_complete = [](const Operation* operation) { return operation != nullptr && operation->complete; };
  if (std::ranges::any_of(operations, is_complete)) return;
  for (Operation* operation : operations) {
    if (operation == nullptr) continue;
    if (operation->abandoned) complain_of_length(*operation);
    requests.push_back(requests_[operation->serial]);
    owners.push_back(operation);
  }
  if (owners.empty()) return;
  int index = 0;
  MPI_Status status;
  const int code = MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
  if (index == MPI_UNDEFINED) check_mpi(code, "MPI_Waitany");
  finish(*owners[static_cast<std::size_t>(index)], code, status);
}

void MpiEndpoint::progress() {
  const int count = static_cast<int>(requests_.size());
  if (count == 0) {
    // With nothing to test, any call makes MPI look at its channels.
    int found = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    return;
  }
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int finished = 0;
  const int code = MPI_Testsome(count, requests_.data(), &finished, indices_.data(), statuses_.data());
  if (code != MPI_ERR_IN_STATUS) check_mpi(code, "MPI_Testsome");
  if (finished <= 0) return;  // MPI_UNDEFINED is negative
  done_.clear();
  indices_.resize(static_cast<std::size_t>(finished));
  for (const int index : indices_) done_.push_back(operations_[static_cast<std::size_t>(index)]);
  std::exception_ptr gravest;  // MPI tells of each only once; who waits for what was too short is told again
  for (std::size_t i = 0; i < done_.size(); ++i) {
    try {
      finish(*done_[i], code == MPI_ERR_IN_STATUS ? statuses_[i].MPI_ERROR : MPI_SUCCESS, statuses_[i]);
    } catch (const RunError&) {
      if (gravest == nullptr || !done_[i]->abandoned) gravest = std::current_exception();
    }
  }
  if (gravest != nullptr) std::rethrow_exception(gravest);
}

bool MpiEndpoint::probe(Rank source, Tag tag, Context context, Status& found, bool block) {
  const MpiGroup& group = contexts_.group(context);
  const MPI_Comm communicator = group.communicator(context);
  const int peer = source == any_source ? MPI_ANY_SOURCE : group.member_of[static_cast<std::size_t>(source)];
  MPI_Status status;
  int there = 1;
  if (block) {
    check_mpi(MPI_Probe(peer, mpi_tag(tag), communicator, &status), "MPI_Probe");
  } else {
    check_mpi(MPI_Iprobe(peer, mpi_tag(tag), communicator, &there, &status), "MPI_Iprobe");
  }
  if (there != 0) found = to_status(group, status);
  return there != 0;
}

bool MpiEndpoint::cancel(Operation& receive) {
  if (receive.abandoned) return true;
  if (receive.complete) return false;
  MPI_Request& request = requests_[receive.serial];
  check_mpi(MPI_Cancel(&request), "MPI_Cancel");
  int done = 0;
  MPI_Status status;
  const int code = MPI_Test(&request, &done, &status);
  if (done == 0) return false;
  int cancelled = 0;
  MPI_Test_cancelled(&status, &cancelled);
  if (cancelled == 0) {
    finish(receive, code, status);
    return false;
  }
  remove(receive);
  return true;
}

void MpiEndpoint::withdraw(Operation& operation) noexcept {
  if (operation.complete || operation.abandoned) return;
  try {
    if (operation.kind == Operation::Kind::receive && cancel(operation)) return;
  } catch (const std::exception&) {  // another error is being told already
  }
  if (operation.complete || operation.abandoned) return;
  // It ends by itself, and nobody is told.
  MPI_Request_free(&requests_[operation.serial]);
  remove(operation);
}

}  // namespace nasvm
