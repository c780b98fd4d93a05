#include "harness/commands/hosts/task.hpp"

#include "harness/commands/hosts/survey.hpp"
#include "harness/session/order.hpp"

namespace nasvm {

std::string methods_order() {
  return to_text([](Fields& fields) { describe_kind(fields, order_kind_methods); });
}

std::string describe_methods(Task& task) {
  const Comm& comm = task.comm();
  TaskMethods methods;
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    PeerMethod method{peer, std::string(comm.method(peer)), {}};
    for (const Task::Candidate& one : task.candidates(peer)) method.order.push_back({one.transport, one.why_not});
    methods.peers.push_back(std::move(method));
  }
  return text_of_record(methods);
}

}  // namespace nasvm
