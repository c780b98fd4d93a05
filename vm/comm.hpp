#pragma once
/// \file
/// Comm: ranks 0..size-1, tagged messages, collectives and their counters. All that kernels see of the machine.
///
/// Buffers are contiguous ranges of arithmetic (or complex) elements: std::vector, std::span, std::array. Lengths
/// and counts are in elements of the buffer's type. A blocking call returns when its buffer may be used again;
/// it makes progress on everything else meanwhile. One thread of a task uses its Comms.
///
/// Errors: a dead peer, a deadline or a message longer than its buffer is a RunError. Nothing writes to the buffers
/// of a call that has thrown; what it was sending goes on without them, though a receiver of the same host may still
/// fetch a long message from where it was (Endpoint::withdraw). A message longer than its buffer is lost, and nothing
/// else is: the call that notices throws, and so does each that waits for that receive. A wrong rank or count is a
/// programmer's mistake: std::invalid_argument.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "vm/endpoint.hpp"
#include "vm/metrics/counters.hpp"
#include "vm/metrics/quick_calls.hpp"
#include "vm/reduction.hpp"

namespace nasvm {

template <typename T>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<std::complex<T>> : std::true_type {};

/// Elements that messages are made of.
template <typename T>
concept Element = std::is_arithmetic_v<T> || IsComplex<T>::value || std::is_same_v<T, std::byte>;

template <typename B>
concept Buffer = std::ranges::contiguous_range<B> && std::ranges::sized_range<B> &&
    Element<std::remove_cv_t<std::ranges::range_value_t<B>>>;

/// Bytes of one element, the unit that is swapped between hosts of different byte order: a complex number is two.
template <Element T>
inline constexpr std::uint8_t element_bytes_of = IsComplex<T>::value ? sizeof(T) / 2 : sizeof(T);

/// The same for what a buffer holds.
template <Buffer B>
inline constexpr std::uint8_t element_bytes_in = element_bytes_of<std::remove_cv_t<std::ranges::range_value_t<B>>>;

class BroadcastMethod;
class Comm;
namespace collective {
class Ledger;
class SharedArea;
}  // namespace collective

/// What a request stands for. Of a placed message (Comm::isend_placed) all that travels is how long it is.
struct RequestOperation : Operation {
  bool is_placed = false;
  std::uint64_t placed_bytes = 0;
  std::uint64_t most_bytes = 0;  ///< that the receiver has room for
};

/// A non-blocking operation. Movable. Must be waited for before it is destroyed; its buffer and its Comm must stay in
/// place until then. Destroying a pending one waits for it, or withdraws it where an exception passes; what goes
/// wrong in that wait is thrown by the next call of the task's Comms that blocks, or by Task::finish. Assigning to a
/// pending one waits, too, and throws.
class Request {
 public:
  Request() = default;
  Request(Request&& other) noexcept : comm_(other.comm_), operation_(std::exchange(other.operation_, nullptr)) {}
  Request& operator=(Request&& other);
  ~Request();
  /// True while there is something to wait for.
  [[nodiscard]] bool pending() const { return operation_ != nullptr; }

 private:
  friend class Comm;
  Request(Comm* comm, RequestOperation* operation) : comm_(comm), operation_(operation) {}
  Comm* comm_ = nullptr;
  RequestOperation* operation_ = nullptr;
};

class Comm {
 public:
  /// The world: all tasks of the program. The endpoint must outlive it.
  explicit Comm(Endpoint& endpoint);
  ~Comm();
  Comm(Comm&&) noexcept;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] int size() const { return static_cast<int>(world_ranks_.size()); }

  // --- point to point -------------------------------------------------------------------------------------

  /// Blocks until `data` may be used again; the message may still be on its way.
  template <Buffer B>
  void send(const B& data, Rank to, Tag tag = 0) {
    send_bytes(bytes_of(data), to, tag, element_bytes_in<B>);
  }
  /// Blocks until a message from `from` (or any_source) with `tag` (or any_tag) has filled `data`; a shorter
  /// message is fine, a longer one is a RunError.
  template <Buffer B>
  Status recv(B&& data, Rank from = any_source, Tag tag = any_tag) {
    return recv_bytes(writable_bytes_of(data), from, tag, element_bytes_in<B>);
  }
  template <Buffer B>
  [[nodiscard]] Request isend(const B& data, Rank to, Tag tag = 0) {
    return isend_bytes(bytes_of(data), to, tag, element_bytes_in<B>);
  }
  /// What goes at the end of the statement does not stay until the request is complete.
  template <Buffer B>
  requires(!std::ranges::borrowed_range<B>) Request isend(B&& data, Rank to, Tag tag = 0)
  = delete;
  template <Buffer B>
  [[nodiscard]] Request irecv(B&& data, Rank from = any_source, Tag tag = any_tag) {
    static_assert(std::ranges::borrowed_range<B>, "the buffer has to stay until the request is complete");
    return irecv_bytes(writable_bytes_of(data), from, tag, element_bytes_in<B>);
  }
  /// A message of so many bytes that this task has stored already where its receiver, which posts irecv_placed, wants
  /// them, in memory that both have mapped (vm/windows.hpp). All that travels is their number; it counts as any
  /// message of that length. What this thread has stored before, past the cache too, the receiver sees when the
  /// message has come.
  [[nodiscard]] Request isend_placed(std::size_t bytes, Rank to, Tag tag = 0);
  /// Of so many bytes at most, or it is a RunError; how many is in the status.
  [[nodiscard]] Request irecv_placed(std::size_t most_bytes, Rank from, Tag tag = 0);
  /// Sends and receives at the same time: no deadlock however long the messages are.
  template <Buffer S, Buffer R>
  Status sendrecv(const S& out, Rank to, R&& in, Rank from, Tag tag = 0) {
    return sendrecv_bytes(bytes_of(out), to, writable_bytes_of(in), from, tag, element_bytes_in<S>,
                          element_bytes_in<R>);
  }

  /// Blocks until the request is complete. Waiting for an empty request returns at once.
  Status wait(Request& request);
  void wait_all(std::span<Request> requests);
  /// Index of a request that has completed (and is now empty). All empty: std::invalid_argument. Where none has and
  /// one cannot any more (its message was too long, its task has ended), the error is thrown, and that request is
  /// empty.
  std::size_t wait_any(std::span<Request> requests, Status* status = nullptr);
  /// Completes the request if that needs no waiting.
  bool test(Request& request, Status* status = nullptr);
  /// Blocks until a matching message is there to be received.
  Status probe(Rank from = any_source, Tag tag = any_tag);
  /// Says whether a matching message is there, without blocking.
  bool iprobe(Rank from, Tag tag, Status& found);
  /// Moves messages along; for long computations between isend/irecv and wait. Returns at once when no request of
  /// this task is pending, and costs less than a microsecond otherwise, unless something has come: a call for each
  /// some ten microseconds of work lets long messages overlap with it.
  void progress();

  // --- collectives: every task of the Comm calls them, in the same order ------------------------------------

  void barrier();
  template <Buffer B>
  void broadcast(B&& data, Rank root = 0) {
    broadcast_bytes(writable_bytes_of(data), root, element_bytes_in<B>);
  }
  /// `inout` holds this task's contribution, afterwards the result at the root (elsewhere undefined).
  template <Buffer B, typename Op = Sum>
  void reduce(B&& inout, Op op = {}, Rank root = 0) {
    reduce_bytes(writable_bytes_of(inout), reduction<std::ranges::range_value_t<B>>(op), root);
  }
  /// In place; every task gets the same bits.
  template <Buffer B, typename Op = Sum>
  void allreduce(B&& inout, Op op = {}) {
    allreduce_bytes(writable_bytes_of(inout), reduction<std::ranges::range_value_t<B>>(op));
  }
  template <Element T, typename Op = Sum>
  [[nodiscard]] T allreduce_value(T value, Op op = {}) {
    allreduce(std::span<T>(&value, 1), op);
    return value;
  }
  /// Inclusive prefix reduction in rank order, in place.
  template <Buffer B, typename Op = Sum>
  void scan(B&& inout, Op op = {}) {
    scan_bytes(writable_bytes_of(inout), reduction<std::ranges::range_value_t<B>>(op));
  }
  /// `out.size()` elements from each task to the root, in rank order (`in` is used at the root only).
  template <Buffer S, Buffer R>
  void gather(const S& out, R&& in, Rank root = 0) {
    const std::vector<std::size_t> counts(static_cast<std::size_t>(size()), std::ranges::size(out));
    gatherv(out, std::forward<R>(in), counts, root);
  }
  /// `counts[r]` elements from rank r; every task passes the same counts, or (where the fabric has no collectives of
  /// its own) those who are not the root none.
  template <Buffer S, Buffer R>
  void gatherv(const S& out, R&& in, std::span<const std::size_t> counts, Rank root = 0) {
    gatherv_bytes(bytes_of(out), writable_bytes_of(in), in_bytes<S>(counts), root, element_bytes_in<S>);
  }
  /// `in.size()` elements to each task; the root has so many for each, no more.
  template <Buffer S, Buffer R>
  void scatter(const S& out, R&& in, Rank root = 0) {
    if (rank() == root) check_division(std::ranges::size(out), std::ranges::size(in));
    const std::vector<std::size_t> counts(static_cast<std::size_t>(size()), std::ranges::size(in));
    scatterv(out, std::forward<R>(in), counts, root);
  }
  /// `counts[r]` elements to rank r; counts as for gatherv.
  template <Buffer S, Buffer R>
  void scatterv(const S& out, R&& in, std::span<const std::size_t> counts, Rank root = 0) {
    scatterv_bytes(bytes_of(out), writable_bytes_of(in), in_bytes<R>(counts), root, element_bytes_in<R>);
  }
  template <Buffer S, Buffer R>
  void allgather(const S& out, R&& in) {
    const std::vector<std::size_t> counts(static_cast<std::size_t>(size()), std::ranges::size(out));
    allgatherv(out, std::forward<R>(in), counts);
  }
  template <Buffer S, Buffer R>
  void allgatherv(const S& out, R&& in, std::span<const std::size_t> counts) {
    allgatherv_bytes(bytes_of(out), writable_bytes_of(in), in_bytes<S>(counts), element_bytes_in<S>);
  }
  /// Block r of `out` goes to rank r; blocks have out.size()/size() elements, with none left over.
  template <Buffer S, Buffer R>
  void alltoall(const S& out, R&& in) {
    const std::size_t block = std::ranges::size(out) / static_cast<std::size_t>(size());
    check_division(std::ranges::size(out), block);
    const std::size_t block_bytes = block * sizeof(std::ranges::range_value_t<S>);
    alltoall_bytes(bytes_of(out), writable_bytes_of(in), block_bytes, element_bytes_in<S>);
  }
  /// `out_counts[r]` elements to rank r, `in_counts[r]` from rank r, packed one after the other in rank order.
  template <Buffer S, Buffer R>
  void alltoallv(const S& out, std::span<const std::size_t> out_counts, R&& in,
                 std::span<const std::size_t> in_counts) {
    alltoallv_bytes(bytes_of(out), in_bytes<S>(out_counts), writable_bytes_of(in), in_bytes<R>(in_counts),
                    element_bytes_in<S>);
  }

  /// New Comms, one for each colour, ranks ordered by (key, rank). Collective. A negative colour gets none
  /// (an empty pointer).
  [[nodiscard]] std::unique_ptr<Comm> split(int color, int key);

  /// How broadcasts of this task's Comms are done where that method suits; null: by Comm's own algorithms. The method
  /// must outlive them.
  void use_for_broadcasts(BroadcastMethod* method) { shared_->broadcasts = method; }

  /// Throws what went wrong in waiting for a request that was destroyed.
  void complain_of_forgotten() {
    if (shared_->forgotten != nullptr) std::rethrow_exception(std::exchange(shared_->forgotten, nullptr));
  }

  // --- for libraries above that have requests and groups of their own (vm/abi/)

  /// As isend and irecv, with an operation of the caller's, which stays in place until it is complete, within a call
  /// (enter_call) or of a Comm in the background. A receive may be one that truncates, a send synchronous
  /// (Operation).
  void start_send(Operation& operation, std::span<const std::byte> data, Rank to, Tag tag,
                  std::uint8_t element_bytes = 1);
  void start_receive(Operation& operation, std::span<std::byte> data, Rank from, Tag tag,
                     std::uint8_t element_bytes = 1);
  /// Blocks until one of these is complete, whatever Comms of this task they belong to; null entries are skipped.
  void wait_for_any(std::span<Operation* const> operations);
  /// Books a receive of this Comm that is complete, and says what came.
  Status finish_receive(const Operation& receive) {
    Status status = receive.status;
    if (is_counting()) {
      PeerCounters& peer = shared_->counters.peers[static_cast<std::size_t>(status.source)];
      ++peer.messages_received;
      peer.bytes_received += status.bytes;
    }
    status.source = rank_of_world_[static_cast<std::size_t>(status.source)];
    return status;
  }
  /// Withdraws a receive of this Comm; false when a message has already matched it.
  bool cancel(Operation& receive) { return endpoint_->cancel(receive); }
  /// A call of the library: the calls of Comms in it are not counted by themselves. `leave` returns its time.
  /// Of a kind that is mostly quick, the clock is read for some.
  void enter_call(QuickCalls* kind = nullptr) {
    if ((*call_depth_)++ == 0) shared_->begin_call(kind);
  }
  Ticks leave_call() { return --*call_depth_ == 0 ? shared_->end_call() : 0; }
  /// The call that is running is none of the quick ones: if it is not timed, it is from here on, and it stands for
  /// none.
  void time_this_call() {
    if (shared_->call_begin == Shared::untimed) shared_->call_begin = ticks_now();
    shared_->running_kind = nullptr;
  }
  /// From here on calls of this task's Comms are neither counted nor timed: nobody will look. Saves two readings of
  /// the clock for each.
  void leave_calls_untimed() {
    ++shared_->call_depth;
    shared_->call_begin = ticks_now();  // as if one had begun
  }
  /// Contexts from here on are free on this task.
  [[nodiscard]] Context free_context() const { return shared_->next_context; }
  /// A context that is free on all tasks without their being asked: no agreement finds it, and no other task claims
  /// it. RunError where there is none left.
  [[nodiscard]] Context claim_context();
  /// A Comm of the tasks with these ranks in the world, in this order, that have agreed on a context which was free
  /// on all of them (or has been claimed by one). Where this task is none of them they are those of another group:
  /// messages go there, and this one is known there by `rank`; such a Comm has no collectives.
  [[nodiscard]] std::unique_ptr<Comm> with_context(Context context, std::vector<Rank> world_ranks, Rank rank);
  /// False: its tasks are another group.
  [[nodiscard]] bool has_this_task() const {
    return rank_of_world_[static_cast<std::size_t>(endpoint_->rank())] >= 0;
  }
  /// A Comm of the same tasks and context for collectives that go on while this task does something else: its
  /// messages are counted like this one's, its time is nobody's. Whose endpoint it is keeps their messages apart.
  [[nodiscard]] std::unique_ptr<Comm> in_background() const;
  /// A Comm of the same tasks for messages of the library's own, which no receive of the program's matches: they
  /// share the context of collectives, whose tags are below `first_hidden_tag` and not negative. No collectives.
  [[nodiscard]] std::unique_ptr<Comm> hidden() const;
  static constexpr Tag first_hidden_tag = 0x6000'0000;
  /// A collective in progress: its messages go to the collective context, which user receives cannot match.
  class Collective;
  /// Of threads and background jobs that take turns within calls: says in which collectives (of all Comms of this
  /// task; null: none) the one is that goes on from here, and returns those of the one that steps aside. Messages of
  /// the former would else travel as if they belonged to the latter's.
  const Collective* change_turn(const Collective* own) { return std::exchange(shared_->collectives, own); }
  /// Sends these pieces and receives those, each a message from or to a rank of this Comm; pieces of one pair are
  /// matched in their order, and empty ones are no messages. Collective over those who have pieces in common.
  struct Piece {
    Rank rank;
    std::span<std::byte> bytes;      ///< a send never writes through it
    std::uint8_t element_bytes = 0;  ///< 0: that of the call
  };
  void exchange(std::span<const Piece> out, std::span<const Piece> in, std::uint8_t element_bytes = 1);

  /// Can the memory of that rank's task be read? Tasks of one host that reach each other through memory can.
  [[nodiscard]] bool can_read_memory(Rank peer) const { return endpoint_->can_read_memory(world_rank(peer)); }
  /// Are all members on one host? The same answer on all of them.
  [[nodiscard]] bool is_on_one_host() const;
  /// Fills `into` from an address there, in one copy, without waiting for that task, which has to leave it alone
  /// meanwhile. False: that is not possible. It is no message, and is not counted as one.
  [[nodiscard]] bool read_memory(Rank peer, std::uint64_t address, std::span<std::byte> into) {
    return endpoint_->read_memory(world_rank(peer), address, into);
  }

  /// Where this task had better copy what all other members, of the same host, are going to read by `read_memory`.
  /// Stays until it is asked for again. Empty: they had better read it where it is. There must be others.
  [[nodiscard]] std::span<std::byte> board(std::size_t bytes) {
    return endpoint_->board(world_rank(rank() == 0 ? 1 : 0), bytes, size() - 1);
  }

  /// New memory for this task and members of this host, `peer` among them; and what another one has created, by its
  /// number. Null: that is not possible.
  [[nodiscard]] std::unique_ptr<SharedMemory> create_memory(Rank peer, std::size_t bytes) {
    return endpoint_->create_memory(world_rank(peer), bytes);
  }
  [[nodiscard]] std::unique_ptr<SharedMemory> map_memory(Rank creator, std::int64_t number, std::size_t bytes) {
    return endpoint_->map_memory(world_rank(creator), number, bytes);
  }
  /// Something that this member may wait for has changed in memory that both have mapped.
  void wake(Rank peer) { endpoint_->wake(world_rank(peer)); }
  /// Blocks until `done()`, which looks at what members change there and then wake this task for
  /// (Endpoint::wait_for_memory). The time counts as waiting for a message does: as idle only where it is for data.
  enum class WaitedFor { data, room };
  void wait_for_memory(const std::function<bool()>& done, WaitedFor what = WaitedFor::data);

  // --- what it cost ----------------------------------------------------------------------------------------

  /// Snapshot of this task's counters, shared by all its Comms.
  [[nodiscard]] const Counters& counters() const { return shared_->counters; }
  /// Name of the transport that carries messages to `peer`.
  [[nodiscard]] std::string_view method(Rank peer) const { return endpoint_->method(world_rank(peer)); }
  /// Rank in the world of this Comm's rank.
  [[nodiscard]] Rank world_rank(Rank rank) const { return world_ranks_[static_cast<std::size_t>(rank)]; }
  /// Tells this task's Comms apart.
  [[nodiscard]] Context context() const { return context_; }

  // --- bytes: what the typed calls above come down to; collectives are written against these -----------------

  void send_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes = 1);
  /// Sends and does not wait: what cannot leave yet is copied. Only over an endpoint that can withdraw sends.
  void post_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes = 1);
  Status recv_bytes(std::span<std::byte> data, Rank from, Tag tag, std::uint8_t element_bytes = 1);
  Request isend_bytes(std::span<const std::byte> data, Rank to, Tag tag, std::uint8_t element_bytes = 1);
  Request irecv_bytes(std::span<std::byte> data, Rank from, Tag tag, std::uint8_t element_bytes = 1);
  Status sendrecv_bytes(std::span<const std::byte> out, Rank to, std::span<std::byte> in, Rank from, Tag tag,
                        std::uint8_t out_element_bytes = 1, std::uint8_t in_element_bytes = 1);
  void broadcast_bytes(std::span<std::byte> data, Rank root, std::uint8_t element_bytes);
  void reduce_bytes(std::span<std::byte> inout, const Reduction& op, Rank root);
  void allreduce_bytes(std::span<std::byte> inout, const Reduction& op);
  void scan_bytes(std::span<std::byte> inout, const Reduction& op);
  void gatherv_bytes(std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
                     Rank root, std::uint8_t element_bytes);
  void scatterv_bytes(std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
                      Rank root, std::uint8_t element_bytes);
  void allgatherv_bytes(std::span<const std::byte> out, std::span<std::byte> in, std::span<const std::size_t> bytes,
                        std::uint8_t element_bytes);
  void alltoall_bytes(std::span<const std::byte> out, std::span<std::byte> in, std::size_t block_bytes,
                      std::uint8_t element_bytes);
  void alltoallv_bytes(std::span<const std::byte> out, std::span<const std::size_t> out_bytes,
                       std::span<std::byte> in, std::span<const std::size_t> in_bytes, std::uint8_t element_bytes);

 private:
  friend class Request;

  /// Times one message-layer call; nested calls belong to the outer one.
  class Call;

  /// What the Comms of one task share.
  struct Shared {
    Counters counters;
    int call_depth = 0;
    int background_depth = 1;  ///< of calls in the background: never the first, so none is timed
    static constexpr Ticks untimed = 0;
    Ticks call_begin = untimed;          ///< of the call that is running
    QuickCalls* running_kind = nullptr;  ///< it is of that kind
    QuickCalls sends, receives, waits;
    Context next_context = 0;
    Context claimed = 0;                      ///< contexts, by this task
    int areas = 0;                            ///< SharedAreas of these Comms
    const Collective* collectives = nullptr;  ///< in which the caller is, the innermost first
    BroadcastMethod* broadcasts = nullptr;
    std::vector<std::unique_ptr<RequestOperation>> operations;
    std::vector<RequestOperation*> free_operations;
    Ticks idle_until = 0;          ///< the latest end of idle time that has been booked
    std::exception_ptr forgotten;  ///< what went wrong for a request that was destroyed

    /// Books a wait that began when `before` had been booked.
    void book_idle(Ticks before, Ticks begin, Ticks end);
    void begin_call(QuickCalls* kind) {
      ++counters.calls;
      running_kind = kind;
      call_begin = kind != nullptr && kind->may_go_untimed() ? untimed : ticks_now();
    }
    Ticks end_call() {
      Ticks spent = 0;
      if (call_begin != untimed) {
        spent = ticks_now() - call_begin;
        if (running_kind != nullptr) running_kind->took(spent);
      } else if (running_kind != nullptr) {
        spent = running_kind->usual();
      }
      counters.communication += spent;
      return spent;
    }
  };
  Comm(Endpoint& endpoint, std::shared_ptr<Shared> shared, std::vector<Rank> world_ranks, Context context);
  [[nodiscard]] bool is_in_background() const { return call_depth_ == &shared_->background_depth; }

  template <typename B>
  static std::span<const std::byte> bytes_of(const B& data) {
    return std::as_bytes(std::span(std::ranges::data(data), std::ranges::size(data)));
  }
  template <typename B>
  static std::span<std::byte> writable_bytes_of(B& data) {
    return std::as_writable_bytes(std::span(std::ranges::data(data), std::ranges::size(data)));
  }
  template <typename B>
  static std::vector<std::size_t> in_bytes(std::span<const std::size_t> counts) {
    std::vector<std::size_t> bytes(counts.begin(), counts.end());
    for (std::size_t& count : bytes) count *= sizeof(std::ranges::range_value_t<B>);
    return bytes;
  }
  template <typename T, typename Op>
  static Reduction reduction(const Op& op) {
    constexpr bool commutative = [] {
      if constexpr (requires { Op::commutative; }) return static_cast<bool>(Op::commutative);
      else return true;
    }();
    return {sizeof(T),
            element_bytes_of<T>,
            commutative,
            [](const void* self, std::byte* inout, const std::byte* in, std::size_t count) {
              const Op& combine = *static_cast<const Op*>(self);
              T* a = reinterpret_cast<T*>(inout);
              const T* b = reinterpret_cast<const T*>(in);
              for (std::size_t i = 0; i < count; ++i) a[i] = combine(a[i], b[i]);
            },
            [](const void* self, std::byte* inout, const std::byte* in, std::size_t count) {
              const Op& combine = *static_cast<const Op*>(self);
              T* a = reinterpret_cast<T*>(inout);
              const T* b = reinterpret_cast<const T*>(in);
              for (std::size_t i = 0; i < count; ++i) a[i] = combine(b[i], a[i]);
            },
            &op,
            element_kind<T>(),
            operation_kind<Op>()};
  }

  void open();
  void prepare_send(Operation& operation, std::span<const std::byte> data, Rank to, Tag tag,
                    std::uint8_t element_bytes);
  void prepare_receive(Operation& operation, std::span<std::byte> data, Rank from, Tag tag,
                       std::uint8_t element_bytes);
  /// Waits, and books idle time and what was received. Returns the status in ranks of this Comm.
  Status finish(Operation& operation);
  void wait_until_complete(Operation& operation);
  /// Blocks until one of these is complete, and books idle time. Returns its place; or how many there are, when the
  /// endpoint of a library above has come back without one.
  std::size_t wait_for_first(std::span<Operation* const> operations);
  std::size_t wait_for_one(std::span<Request> requests, std::span<Operation* const> waited);
  RequestOperation* take_operation();
  void give_back(RequestOperation* operation);
  /// What fails to start is known to nobody, and given back.
  Request start(RequestOperation* operation);
  /// Books what a placed message stands for, in place of its number.
  void book_placed(const RequestOperation& receive, Status& status);
  /// Counts what our algorithm would have sent and received, for a collective that the fabric has done.
  void book_native(std::span<const std::pair<Rank, PeerCounters>> traffic);
  /// Messages of `talk` are not counted; those of who takes a turn meanwhile are.
  template <typename Talk>
  void without_counting(const Talk& talk);
  [[nodiscard]] bool is_counting() const { return shared_->collectives == nullptr || !is_silent(); }
  [[nodiscard]] bool is_silent() const;
  /// Memory that all members have mapped, for collectives. Null: there is none. The first call is collective.
  [[nodiscard]] collective::SharedArea* shared_area(std::size_t bytes);
  /// Can all members read each other's memory? The first call is collective.
  [[nodiscard]] bool is_in_one_memory();
  void broadcast_by(BroadcastMethod& method, std::span<std::byte> data, Rank root);
  void count_way(const BroadcastMethod& method, std::size_t bytes);
  void check_blocks(std::size_t own_bytes, std::span<const std::size_t> bytes, std::size_t all_bytes) const;
  void book_native_alltoallv(std::span<const std::size_t> out_bytes, std::span<const std::size_t> in_bytes);
  [[nodiscard]] Context active_context() const {
    return context_ + (is_hidden_ || (shared_->collectives != nullptr && is_in_collective()) ? 1U : 0U);
  }
  [[nodiscard]] bool is_in_collective() const;
  void check_peer(Rank peer, bool wildcard) const {
    if ((peer >= 0 && peer < size()) || (wildcard && peer == any_source)) return;
    complain_of_rank(peer);
  }
  [[noreturn]] void complain_of_rank(Rank peer) const;
  /// std::invalid_argument unless these elements are a block for each task.
  void check_division(std::size_t elements, std::size_t block) const {
    if (elements != block * static_cast<std::size_t>(size())) complain_of_division(elements, block);
  }
  [[noreturn]] void complain_of_division(std::size_t elements, std::size_t block) const;

  Endpoint* endpoint_;
  std::shared_ptr<Shared> shared_;
  int* call_depth_ = nullptr;  ///< one of Shared's
  std::vector<Rank> world_ranks_;
  std::vector<Rank> rank_of_world_;  ///< -1: not in this Comm
  Context context_ = 0;              ///< even; context_ + 1 is that of its collectives
  Rank rank_ = 0;
  bool is_hidden_ = false;  ///< all its messages are in the context of collectives
  NativeCollectives* native_ = nullptr;
  std::unique_ptr<collective::Ledger> ledger_;  ///< where collectives are not done by messages of ours
  std::optional<bool> is_in_one_memory_;        ///< when somebody has asked
  std::unique_ptr<collective::SharedArea> area_;
  bool has_asked_for_area_ = false;
  int short_calls_ = 0;
};

}  // namespace nasvm
