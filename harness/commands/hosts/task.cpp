#include "harness/commands/hosts/task.hpp"

#include "harness/commands/hosts/survey.hpp"

namespace nasvm {

std::string describe_methods(Task& task) {
  const Comm& comm = task.comm();
  TaskMethods methods;
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    PeerMethod method{peer, std::string(comm.method(peer)), {}};
    for (const Task::Candidate& one : task.candidates(peer)) method.order.push_back({one.transport, one.why_not});
    methods.peers.push_back(std::move(method));
  }
  return methods.to_text();
}

}  // namespace nasvm
