#pragma once
/// \file
/// A member's way into a group over datagrams: it learns of the group and of the other members by messages of a Comm
/// (roll_call.hpp), and with them whom multicast reaches (set_up.hpp). A group that meets another on its address is
/// drawn again.

#include <functional>
#include <memory>
#include <string>

#include "vm/broadcast/comm_line.hpp"
#include "vm/broadcast/losses.hpp"
#include "vm/broadcast/surroundings.hpp"
#include "vm/multicast/wire/group_address.hpp"
#include "vm/multicast/wire/group_port.hpp"
#include "vm/multicast/wire/reach.hpp"
#include "vm/multicast/wire/roll_call.hpp"

namespace nasvm::multicast {

class Joining {
 public:
  struct Options {
    Authentication authentication = Authentication::tag;
    int ttl = 1;
    std::string ip{};        ///< of the interface that this member takes
    bool fragments = false;  ///< GroupPort::Options
  };
  struct Joined {
    std::unique_ptr<GroupPort> port;
    Reach reach;
  };

  /// `comm` is the group's own. `losses`: of its members, where the others go on without them; null: a loss is the
  /// end of the run.
  Joining(const Surroundings& here, Comm& comm, Rank root, Losses* losses, Options options);

  /// Collective. Blocks until the group stands for those that are not lost. Throws RunError when the root is lost,
  /// when a member has another byte order than it, or no way to take part.
  Joined join();

 private:
  std::unique_ptr<GroupPort> call();
  std::unique_ptr<GroupPort> answer();
  void serve(End& end, const std::function<bool()>& done);
  [[nodiscard]] std::unique_ptr<GroupPort> open(const GroupAddress& group) const;
  Reach probe(GroupPort& port);

  Surroundings here_;
  Node self_;
  CommLine line_;
  Losses* losses_;
  Options options_;
  RollCall call_;      ///< at the root
  RollAnswer answer_;  ///< elsewhere
};

}  // namespace nasvm::multicast
