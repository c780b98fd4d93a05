#include "support/thread_machine.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "vm/status.hpp"
#include "vm/too_short.hpp"

namespace nasvm::test {
namespace {

std::atomic<std::size_t> pieces_so_far = 0;

struct Message {
  Rank source;
  Tag tag;
  Context context;
  std::vector<std::byte> data;
};

struct Mailbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Message> messages;
};

struct Machine {
  explicit Machine(int ranks) : mailboxes(static_cast<std::size_t>(ranks)) {}
  std::vector<Mailbox> mailboxes;
  std::atomic<bool> failed = false;
  std::mutex pieces_mutex;
  std::vector<std::shared_ptr<std::byte>> pieces;  ///< of memory in common, by number

  void fail() {
    failed = true;
    for (Mailbox& box : mailboxes) {
      const std::lock_guard lock(box.mutex);
      box.arrived.notify_all();
    }
  }
};

bool matches(Rank wanted_source, Tag wanted_tag, Context context, const Message& message) {
  return context == message.context && (wanted_source == any_source || wanted_source == message.source) &&
         (wanted_tag == any_tag || wanted_tag == message.tag);
}

void deliver(Operation& receive, const Message& message) {
  receive.status = {message.source, message.tag, message.data.size()};
  if (message.data.size() > receive.bytes) {
    receive.abandoned = true;
    complain_of_length(receive);
  }
  if (!message.data.empty()) std::memcpy(receive.data, message.data.data(), message.data.size());
  receive.arrived = ticks_now();
  receive.complete = true;
}

class ThreadPiece final : public SharedMemory {
 public:
  ThreadPiece(std::shared_ptr<std::byte> memory, std::int64_t number, std::size_t bytes)
      : memory_(std::move(memory)), number_(number), bytes_(bytes) {}
  std::span<std::byte> bytes() const override { return {memory_.get(), bytes_}; }
  void put(std::span<std::byte> place, std::span<const std::byte> data) override {
    if (!data.empty()) std::memcpy(place.data(), data.data(), data.size());
  }
  std::int64_t number() const override { return number_; }
  void hide() override {}

 private:
  std::shared_ptr<std::byte> memory_;
  std::int64_t number_;
  std::size_t bytes_;
};

/// Zero, and not there before it is touched: of any size.
std::shared_ptr<std::byte> make_piece(std::size_t bytes) {
  const std::size_t mapped = std::max<std::size_t>(bytes, 1);
  void* const memory =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<std::byte*>(memory), [mapped](std::byte* piece) { ::munmap(piece, mapped); }};
}

/// Senders put messages into the receiver's mailbox; matching happens in the receiver's own thread, so an
/// Operation is only ever touched by the thread that owns it.
class ThreadEndpoint final : public Endpoint {
 public:
  ThreadEndpoint(Machine& machine, Rank rank, Memory memory, Hosts hosts)
      : machine_(machine), rank_(rank), memory_(memory), hosts_(hosts) {}

  Rank rank() const override { return rank_; }
  int size() const override { return static_cast<int>(machine_.mailboxes.size()); }
  std::string_view method(Rank) const override { return "threads"; }

  void start(Operation& operation) override {
    if (operation.kind == Operation::Kind::receive) {
      posted_.push_back(&operation);
      const std::lock_guard lock(box().mutex);
      try {
        match();
      } catch (...) {
        std::erase(posted_, &operation);
        throw;
      }
      return;
    }
    Mailbox& target = machine_.mailboxes[static_cast<std::size_t>(operation.peer)];
    const std::lock_guard lock(target.mutex);
    target.messages.push_back(
        {rank_, operation.tag, operation.context, {operation.data, operation.data + operation.bytes}});
    target.arrived.notify_all();
    operation.complete = true;
  }

  void progress() override {
    std::this_thread::yield();
    if (machine_.failed) throw RunError("another rank failed");
    const std::lock_guard lock(box().mutex);
    match();
  }

  void wait_any(std::span<Operation* const> operations) override {
    std::unique_lock lock(box().mutex);
    const auto is_complete = [](const Operation* operation) { return operation != nullptr && operation->complete; };
    if (std::ranges::any_of(operations, is_complete)) return;
    for (const Operation* operation : operations) {
      if (operation != nullptr && operation->abandoned) complain_of_length(*operation);
    }
    box().arrived.wait(lock, [&] {
      match();
      return machine_.failed || std::ranges::any_of(operations, is_complete);
    });
    if (machine_.failed) throw RunError("another rank failed");
  }

  bool probe(Rank source, Tag tag, Context context, Status& found, bool block) override {
    std::unique_lock lock(box().mutex);
    auto& messages = box().messages;
    auto position = messages.end();
    const auto look = [&] {
      match();
      position = std::find_if(messages.begin(), messages.end(),
                              [&](const Message& message) { return matches(source, tag, context, message); });
      return machine_.failed || position != messages.end();
    };
    if (block) box().arrived.wait(lock, look);
    if (!look()) return false;
    if (machine_.failed) throw RunError("another rank failed");
    found = {position->source, position->tag, position->data.size()};
    return true;
  }

  bool is_on_this_host(Rank peer) const override { return hosts_ == Hosts::one || peer % 2 == rank_ % 2; }
  bool can_read_memory(Rank peer) const override {
    return memory_ == Memory::by_three ? peer / 3 == rank_ / 3 : memory_ != Memory::closed;
  }
  bool read_memory(Rank peer, std::uint64_t address, std::span<std::byte> into) override {
    if (!can_read_memory(peer)) throw RunError("reads what it cannot read");
    if (memory_ == Memory::refused || memory_ == Memory::shared_but_refused) return false;
    std::memcpy(into.data(), reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address)), into.size());
    return true;
  }

  /// Of more than two readers.
  std::span<std::byte> board(Rank reader, std::size_t bytes, int readers) override {
    if (!can_read_memory(reader)) throw RunError("has a board for who cannot read it");
    if (readers <= 2) return {};
    board_.resize(std::max(board_.size(), bytes));
    return std::span(board_).first(bytes);
  }

  std::unique_ptr<SharedMemory> create_memory(Rank peer, std::size_t bytes) override {
    if (!can_read_memory(peer)) throw RunError("shares memory with who cannot have it");
    if (memory_ < Memory::shared) return nullptr;
    const std::lock_guard lock(machine_.pieces_mutex);
    machine_.pieces.push_back(make_piece(bytes));
    ++pieces_so_far;
    const auto number = static_cast<std::int64_t>(machine_.pieces.size()) - 1;
    return std::make_unique<ThreadPiece>(machine_.pieces.back(), number, bytes);
  }
  std::unique_ptr<SharedMemory> map_memory(Rank, std::int64_t number, std::size_t bytes) override {
    if (memory_ == Memory::unshared_by_one && rank_ == 1) return nullptr;
    const std::lock_guard lock(machine_.pieces_mutex);
    return std::make_unique<ThreadPiece>(machine_.pieces.at(static_cast<std::size_t>(number)), number, bytes);
  }
  void wake(Rank peer) override {
    Mailbox& target = machine_.mailboxes[static_cast<std::size_t>(peer)];
    const std::lock_guard lock(target.mutex);
    target.arrived.notify_all();
  }
  void wait_for_memory(std::span<const Rank>, const std::function<bool()>& done) override {
    std::unique_lock lock(box().mutex);
    // Looks again and again, as an engine does.
    while (!box().arrived.wait_for(lock, std::chrono::milliseconds(1), [&] { return machine_.failed || done(); })) {
    }
    if (machine_.failed) throw RunError("another rank failed");
  }

  bool cancel(Operation& receive) override { return std::erase(posted_, &receive) > 0; }

 private:
  Mailbox& box() { return machine_.mailboxes[static_cast<std::size_t>(rank_)]; }

  /// Gives every message, oldest first, to the first posted receive that it matches. Mailbox locked.
  void match() {
    auto& messages = box().messages;
    for (auto message = messages.begin(); message != messages.end() && !posted_.empty();) {
      const auto posted = std::find_if(posted_.begin(), posted_.end(), [&](const Operation* receive) {
        return matches(receive->peer, receive->tag, receive->context, *message);
      });
      if (posted == posted_.end()) {
        ++message;
        continue;
      }
      Operation* receive = *posted;
      posted_.erase(posted);
      const Message taken = std::move(*message);
      message = messages.erase(message);
      deliver(*receive, taken);
    }
  }

  Machine& machine_;
  Rank rank_;
  Memory memory_;
  Hosts hosts_;
  std::vector<Operation*> posted_;
  std::vector<std::byte> board_;
};

}  // namespace

std::size_t created_pieces() { return pieces_so_far; }

void run_ranks(int ranks, const std::function<void(Comm&)>& body, Memory memory, Hosts hosts) {
  Machine machine(ranks);
  std::mutex error_mutex;
  std::exception_ptr first_error;
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadEndpoint endpoint(machine, rank, memory, hosts);
      Comm comm(endpoint);
      try {
        body(comm);
      } catch (...) {
        {
          const std::lock_guard lock(error_mutex);
          if (!first_error) first_error = std::current_exception();
        }
        machine.fail();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace nasvm::test
