#pragma once
/// \file
/// Partitioned communication (MPI-4.0, chapter 4): a message whose parts leave as the program has filled them, and of
/// which the receiver may ask for parts.
///
/// The sender's partitions are messages of their own on the communicator's hidden Comm. Which send belongs to which
/// receive is settled once, when both are made: the sender says, under a tag that stands for the program's, how it
/// has cut the data and which tags its partitions have. From then on a partition costs one message and no copy.

#include <deque>

#include "vm/abi/mpi/request.hpp"

namespace nasvm::mpi {

class Partitions {
 public:
  /// `call.count`: elements of each partition. Tells the receiver of a send; posts the receive of what it tells.
  Partitions(const MessageCall& call, int count, bool sends);
  /// Nothing is under way any more, but what its receiver has not been told.
  ~Partitions();
  Partitions(const Partitions&) = delete;
  Partitions& operator=(const Partitions&) = delete;

  /// Begins the next round. Never blocks.
  void start();
  /// That partition of a send may leave. Fails where there is none, or it has left.
  void ready(int partition);
  /// Whether that partition of a receive has come; its data is in place then.
  [[nodiscard]] bool has_arrived(int partition);
  [[nodiscard]] bool sends() const { return sends_; }

  [[nodiscard]] bool is_complete();
  /// The operation that has to be waited for next; nullptr: none (the program has to do something).
  [[nodiscard]] Operation* awaited();
  /// The round is complete. Returns the error, if any.
  int finish(MessageStatus& status);

 private:
  /// What a sender tells its receiver.
  struct Description {
    std::int64_t count = 0;
    std::int64_t bytes = 0;  ///< of each partition
    std::int64_t first_tag = 0;
  };
  /// One of the sender's partitions.
  struct Part {
    bool is_started = false;
    Operation operation;
    std::optional<Outgoing> out;
  };

  /// Receives as soon as the sender is known, whatever the program waits for.
  void receive();
  void tell_receiver();
  void hear_of_sender();
  /// Receives the sender's partitions once it is known what they are.
  void post();
  [[nodiscard]] bool is_known() const { return sends_ || description_operation_.complete; }
  [[nodiscard]] std::size_t bytes_of_one() const;
  [[nodiscard]] char* address_of(int partition) const;

  MessageCall call_;
  Ref<Communicator> comm_;
  Ref<Datatype> type_;
  int count_;  ///< own partitions
  bool sends_;
  bool is_posted_ = false;
  bool fits_ = true;  ///< the two sides have described as much data
  Description description_;
  Operation description_operation_;
  std::shared_ptr<Progress::Job> waiting_;  ///< for the description
  std::optional<Incoming> in_;
  std::deque<Part> parts_;  ///< the sender's; operations stay in place
};

}  // namespace nasvm::mpi
