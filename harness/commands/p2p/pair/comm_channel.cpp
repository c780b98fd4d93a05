#include "harness/commands/p2p/pair/comm_channel.hpp"

namespace nasvm {

CommChannel::CommChannel(Comm& comm, Rank peer, int most_in_flight) : comm_(comm), peer_(peer) {
  requests_.reserve(2 * static_cast<std::size_t>(most_in_flight));
}

void CommChannel::send_burst(const Burst& out) {
  for (int k = 0; k < out.count; ++k) requests_.push_back(comm_.isend(out.message(k), peer_));
  comm_.wait_all(requests_);
  requests_.clear();
}

void CommChannel::recv_burst(const Burst& in) {
  for (int k = 0; k < in.count; ++k) requests_.push_back(comm_.irecv(in.message(k), peer_, 0));
  comm_.wait_all(requests_);
  requests_.clear();
}

void CommChannel::exchange_bursts(const Burst& out, const Burst& in) {
  for (int k = 0; k < in.count; ++k) requests_.push_back(comm_.irecv(in.message(k), peer_, 0));
  for (int k = 0; k < out.count; ++k) requests_.push_back(comm_.isend(out.message(k), peer_));
  comm_.wait_all(requests_);
  requests_.clear();
}

}  // namespace nasvm
