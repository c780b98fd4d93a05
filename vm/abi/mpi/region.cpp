#include "vm/abi/mpi/region.hpp"

namespace nasvm::mpi {
namespace {

/// Both have the same peers.
void add(Counters& sum, const Counters& more) {
  sum.communication += more.communication;
  sum.idle += more.idle;
  sum.calls += more.calls;
  for (std::size_t i = 0; i < sum.peers.size(); ++i) {
    sum.peers[i].bytes_sent += more.peers[i].bytes_sent;
    sum.peers[i].bytes_received += more.peers[i].bytes_received;
    sum.peers[i].messages_sent += more.peers[i].messages_sent;
    sum.peers[i].messages_received += more.peers[i].messages_received;
  }
}

}  // namespace

void Region::begin(const Counters& counters, Statistics& live, Ticks now) {
  if (sum_.counters.peers.empty()) forget(counters.peers.size());
  before_ = counters;
  begun_ = now;
  live.clear();
  measures_ = true;
}

void Region::control(int level, const Counters& counters, Statistics& live, Ticks now) {
  if (level == 0) return pause(counters, live, now);
  const bool forgets = level == 2 || (level == 1 && !marked_);
  marked_ = marked_ || level == 1;
  if (forgets) forget(counters.peers.size());
  if (forgets ? level == 1 || measures_ : level == 1 && !measures_) begin(counters, live, now);
}

Measured Region::end(const Counters& counters, Statistics& live, Ticks now) {
  pause(counters, live, now);
  return sum_;
}

void Region::pause(const Counters& counters, Statistics& live, Ticks now) {
  if (!measures_) return;
  measures_ = false;
  add(sum_.counters, counters - before_);
  sum_.statistics.add(live);
  sum_.time += now - begun_;
}

void Region::forget(std::size_t peers) {
  sum_ = {};
  sum_.counters.peers.resize(peers);
}

}  // namespace nasvm::mpi
