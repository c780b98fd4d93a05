#include <pvm3.h>

#include <chrono>
#include <thread>
#include <utility>

#include "vm/status.hpp"
#include "vm/system/message_system.hpp"
#include "vm/system/pvm/pvm_parameters.hpp"
#include "vm/system/pvm/task/pvm_endpoint.hpp"

namespace nasvm {
namespace {

constexpr int roll_call_tag = 1;
constexpr std::chrono::milliseconds look_pause{5};  ///< between two looks at PVM's hosts
/// Name of the mailbox in PVM's daemon where rank 0 says who it is.
char mailbox[] = "nasvm";

/// A host's daemon takes tasks before it knows all other hosts, and throws away what goes to one that it does not
/// know. The launcher ends those for whom the time is up.
void await_hosts(int expected) {
  for (int hosts = 0; hosts < expected;) {
    int formats = 0;
    pvmhostinfo* info = nullptr;
    check_pvm(pvm_config(&hosts, &formats, &info), "pvm_config");
    if (hosts < expected) std::this_thread::sleep_for(look_pause);
  }
}

/// Rank 0 hears from all the others who they are, and tells them.
std::vector<int> roll_call_of_first(int self, int size) {
  pvm_initsend(PvmDataRaw);
  pvm_pkint(&self, 1, 1);
  check_pvm(pvm_putinfo(mailbox, pvm_getsbuf(), PvmMboxDefault), "pvm_putinfo");
  std::vector<int> tids(static_cast<std::size_t>(size), self);
  for (int heard = 1; heard < size; ++heard) {
    int rank = 0, tid = 0, bytes = 0, tag = 0;
    const int buffer = check_pvm(pvm_recv(-1, roll_call_tag), "pvm_recv");
    pvm_bufinfo(buffer, &bytes, &tag, &tid);
    check_pvm(pvm_upkint(&rank, 1, 1), "pvm_upkint");
    if (rank <= 0 || rank >= size) throw RunError("a stranger among PVM's tasks");
    tids[static_cast<std::size_t>(rank)] = tid;
  }
  pvm_initsend(PvmDataRaw);
  pvm_pkint(tids.data(), size, 1);
  for (int rank = 1; rank < size; ++rank) {
    check_pvm(pvm_send(tids[static_cast<std::size_t>(rank)], roll_call_tag), "pvm_send");
  }
  return tids;
}

std::vector<int> roll_call_of_other(Rank rank, int size) {
  int first = 0;
  check_pvm(pvm_recvinfo(mailbox, 0, PvmMboxWaitForInfo), "pvm_recvinfo");
  check_pvm(pvm_upkint(&first, 1, 1), "pvm_upkint");
  pvm_initsend(PvmDataRaw);
  pvm_pkint(&rank, 1, 1);
  check_pvm(pvm_send(first, roll_call_tag), "pvm_send");
  check_pvm(pvm_recv(first, roll_call_tag), "pvm_recv");
  std::vector<int> tids(static_cast<std::size_t>(size));
  check_pvm(pvm_upkint(tids.data(), size, 1), "pvm_upkint");
  return tids;
}

/// Enrolled in PVM.
class PvmSystem final : public MessageSystem {
 public:
  explicit PvmSystem(const Seat& seat) : endpoint_(seat.rank, enroll(seat), broadcast_of(seat)) {
    if (is_direct(seat)) endpoint_.settle_routes();
  }
  ~PvmSystem() override { pvm_exit(); }
  Endpoint& endpoint() override { return endpoint_; }
  void finish() override {}
  void abandon(int) override {}  // the launcher, whose children all tasks are, ends them

 private:
  static bool is_direct(const Seat& seat) { return pvm_routes[value_of(seat.parameters, "route", 0)] == "direct"; }

  static PvmEndpoint::Broadcast broadcast_of(const Seat& seat) {
    return static_cast<PvmEndpoint::Broadcast>(value_of(seat.parameters, "broadcast", 0));
  }

  /// Everybody's number in PVM, by rank. The roll call goes through the daemon, and the routes are chosen after it.
  static std::vector<int> enroll(const Seat& seat) {
    pvm_setopt(PvmAutoErr, 0);  // errors are told once, by us
    const int self = check_pvm(pvm_mytid(), "enrolling in PVM (pvm_mytid)");
    await_hosts(seat.hosts);
    auto tids = seat.rank == 0 ? roll_call_of_first(self, seat.size) : roll_call_of_other(seat.rank, seat.size);
    check_pvm(pvm_setopt(PvmRoute, is_direct(seat) ? PvmRouteDirect : PvmDontRoute), "pvm_setopt(PvmRoute)");
    const auto fragment = static_cast<int>(value_of(seat.parameters, "fragment", 0));
    if (fragment > 0) check_pvm(pvm_setopt(PvmFragSize, fragment), "pvm_setopt(PvmFragSize)");
    return tids;
  }

  PvmEndpoint endpoint_;
};

}  // namespace

std::unique_ptr<MessageSystem> join_message_system(const Seat& seat) { return std::make_unique<PvmSystem>(seat); }

}  // namespace nasvm
