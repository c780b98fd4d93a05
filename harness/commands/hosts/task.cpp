#include "harness/commands/hosts/task.hpp"

#include "harness/commands/hosts/survey.hpp"
#include "harness/session/order.hpp"

namespace nasvm {

std::string methods_order() {
  return to_text([](Fields& fields) { describe_kind(fields, order_kind_methods); });
}

std::string describe_methods(Task& task) {
  const Comm& comm = task.comm();
  Methods methods;
  for (Rank peer = 0; peer < comm.size(); ++peer) {
    if (peer == comm.rank()) continue;
    PairMethod pair{.from = comm.rank(), .to = peer, .method = std::string(comm.method(peer)), .order = {}};
    for (const Task::Candidate& one : task.candidates(peer)) pair.order.push_back({one.transport, one.why_not});
    methods.pairs.push_back(std::move(pair));
  }
  return text_of_record(methods);
}

}  // namespace nasvm
