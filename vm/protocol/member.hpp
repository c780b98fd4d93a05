#pragma once
/// \file
/// A task of a program as the others know it.

#include <map>
#include <string>

#include "vm/message.hpp"

namespace nasvm {

/// Where a task can be reached: parameters by transport name ("direct" -> "127.0.0.1:34567"). A transport with an
/// empty descriptor has no entry: the task cannot be reached that way.
using DescriptorTable = std::map<std::string, std::string, std::less<>>;

struct Member {
  Tid tid;
  std::string host;
  DescriptorTable descriptors;

  static void fields(auto& self, auto& field) {
    field("tid", self.tid, "task identifier");
    field("host", self.host, "name of its host, as in the hostfile");
    field("descriptors", self.descriptors, "what each transport needs to reach it, by name of the transport");
  }
  bool operator==(const Member&) const = default;
};

}  // namespace nasvm
