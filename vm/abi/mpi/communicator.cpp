#include "vm/abi/mpi/communicator.hpp"

#include <algorithm>

#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi {

int Group::rank_of(Rank world_rank) const {
  const auto found = std::ranges::find(members, world_rank);
  return found == members.end() ? undefined : static_cast<int>(found - members.begin());
}

Ref<Group> group_of(const Comm& comm) {
  std::vector<Rank> members;
  for (Rank rank = 0; rank < comm.size(); ++rank) members.push_back(comm.world_rank(rank));
  auto* group = new Group(std::move(members));
  Ref<Group> ref(group);
  --group->users;  // no handle of the program's yet
  return ref;
}

Communicator::Communicator(std::unique_ptr<Comm> comm, const Communicator* parent, int number)
    : Object(Kind::comm, number), messages(std::move(comm)), group(group_of(*messages)) {
  handler = parent != nullptr ? parent->handler : Ref<ErrorHandler>(&predefined_handler(errors_are_fatal));
  if (parent != nullptr) belong_to(parent->session);
}

Communicator::Communicator(std::unique_ptr<Comm> to_others, std::unique_ptr<Comm> own_group,
                           const Communicator& parent)
    : Object(Kind::comm),
      messages(std::move(to_others)),
      group(group_of(*own_group)),
      remote_group(group_of(*messages)),
      handler(parent.handler),
      local_(std::move(own_group)) {
  belong_to(parent.session);
  remote_group->session = parent.session;
}

Communicator* Communicator::unconnected(const Communicator& parent) {
  auto* made = new Communicator;
  made->group = parent.group;
  made->remote_group = parent.remote_group;
  made->handler = parent.handler;
  made->session = parent.session;
  return made;
}

void Communicator::connect(std::unique_ptr<Comm> to_peers, std::unique_ptr<Comm> own_group) {
  messages = std::move(to_peers);
  local_ = std::move(own_group);
}

Communicator::~Communicator() { drop_attributes(*this, attributes); }

Comm& Communicator::collective() {
  if (!process().progress().in_job()) return local();
  if (!background_) background_ = local().in_background();
  return *background_;
}

Comm& Communicator::hidden() {
  if (!hidden_) hidden_ = messages->hidden();
  return *hidden_;
}

Tag Communicator::claim_hidden_tags(int count) {
  // They come round after a quarter of a billion.
  if (count > first_agreement_tag - next_hidden_tag_) next_hidden_tag_ = Comm::first_hidden_tag;
  return std::exchange(next_hidden_tag_, next_hidden_tag_ + count);
}

Tag Communicator::agreement_tag(const char* text) {
  // FNV-1a.
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (const char* at = text; at != nullptr && *at != '\0'; ++at) {
    hash = (hash ^ static_cast<unsigned char>(*at)) * 0x0000'0100'0000'01b3U;
  }
  return first_agreement_tag + agreement_tags +
         static_cast<Tag>((hash >> 20) % static_cast<unsigned>(agreement_tags - 1));
}

Comm& Communicator::exchanging() {
  if (!is_inter()) return collective();
  if (!process().progress().in_job()) return *messages;
  if (!background_to_others_) background_to_others_ = messages->in_background();
  return *background_to_others_;
}

}  // namespace nasvm::mpi
