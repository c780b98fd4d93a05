#pragma once
/// \file
/// Communicators: a Comm, with what MPI hangs on it (MPI-3.1, chapters 6 and 7).

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vm/abi/mpi/attributes.hpp"
#include "vm/abi/mpi/buffer.hpp"
#include "vm/abi/mpi/constants.hpp"
#include "vm/abi/mpi/error_handler.hpp"
#include "vm/abi/mpi/failure.hpp"
#include "vm/abi/mpi/group.hpp"
#include "vm/abi/mpi/info.hpp"
#include "vm/abi/mpi/session.hpp"
#include "vm/comm.hpp"

namespace nasvm::mpi {

/// Who is whose neighbour.
struct Topology {
  TopologyKind kind = cartesian;
  std::vector<int> dims, periods;  ///< cartesian
  std::vector<int> index, edges;   ///< graph, as MPI_Graph_create has them
  std::vector<int> sources, source_weights, destinations, destination_weights;  ///< distributed graph
  bool is_weighted = false;
};

struct Communicator : Object {
  /// Over the tasks of `comm`, with what a new communicator gets from the one that it was made of.
  explicit Communicator(std::unique_ptr<Comm> comm, const Communicator* parent = nullptr, int number = -1);
  /// Between the tasks of `local` and another group, which `messages` reach.
  Communicator(std::unique_ptr<Comm> messages, std::unique_ptr<Comm> local, const Communicator& parent);
  ~Communicator();

  /// One of the groups of `parent` whose tasks have not agreed yet: it may not be used before `connect`.
  [[nodiscard]] static Communicator* unconnected(const Communicator& parent);
  /// Its tasks have agreed. `own_group`: where messages reach another one.
  void connect(std::unique_ptr<Comm> to_peers, std::unique_ptr<Comm> own_group);

  /// Of collectives: those that go on in the background have a Comm of their own.
  [[nodiscard]] Comm& collective();
  /// The Comm on which pieces for its peers are exchanged: of the other group where there is one.
  [[nodiscard]] Comm& exchanging();
  /// For messages of the library's own, of which its peers know.
  [[nodiscard]] Comm& hidden();
  /// The tag there of those who agree on a new communicator: the program's number or text tells them from others. Of
  /// all numbers and texts few have one tag in common.
  [[nodiscard]] static Tag agreement_tag(int number) { return first_agreement_tag + number % agreement_tags; }
  [[nodiscard]] static Tag agreement_tag(const char* text);
  /// The first of so many tags there, for messages from this task alone.
  [[nodiscard]] Tag claim_hidden_tags(int count);
  /// A number for the next job in the background, the same on all tasks.
  unsigned next_job() { return jobs_++; }

  /// It and its group come from that session, and so does what is made of them.
  void belong_to(const Ref<Session>& from) {
    session = from;
    group->session = from;
  }

  [[nodiscard]] bool is_inter() const { return local_ != nullptr; }
  [[nodiscard]] int rank() const { return messages->rank(); }
  [[nodiscard]] int size() const { return local_ ? local_->size() : messages->size(); }
  /// Ranks that messages can go to: of the other group where there is one.
  [[nodiscard]] int peers() const { return messages->size(); }
  /// The Comm of this task's own group.
  [[nodiscard]] Comm& local() { return local_ ? *local_ : *messages; }

  std::unique_ptr<Comm> messages;
  Ref<Group> group;
  Ref<Group> remote_group;
  Ref<ErrorHandler> handler;
  std::optional<Topology> topology;
  std::string name;
  Attributes attributes;
  Entries hints;
  Ref<Session> session;  ///< that it comes from
  Buffer buffer;         ///< of its buffered sends, where the program has given it one

 private:
  static constexpr Tag first_agreement_tag = 0x7000'0000;  ///< hidden tags that are claimed lie below
  static constexpr Tag agreement_tags = 0x0800'0000;       ///< of numbers, and as many of texts

  Communicator() : Object(Kind::comm) {}

  std::unique_ptr<Comm> local_;
  std::unique_ptr<Comm> background_, background_to_others_, hidden_;
  unsigned jobs_ = 0;
  Tag next_hidden_tag_ = Comm::first_hidden_tag;
};

/// The tasks of a Comm, by their rank in the world.
Ref<Group> group_of(const Comm& comm);

/// Fails unless it is one; unless it is one within a group.
inline void check_comm(const Communicator* comm) { require(comm != nullptr, err_comm); }
inline void check_intra(const Communicator* comm) { require(comm != nullptr && !comm->is_inter(), err_comm); }

/// An error of which that communicator's handler hears.
[[noreturn]] inline void fail(int code, const Ref<Communicator>& comm, int cause = success) {
  throw Failure{code, comm.get(), nullptr, std::make_shared<Ref<Communicator>>(comm), cause};
}

}  // namespace nasvm::mpi
