#include "support/conformance.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "vm/status.hpp"
#include "vm/windows.hpp"

namespace nasvm::test {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::logic_error(what);
}

/// Bytes that tell where they belong: another sender, tag or position gives others.
std::vector<std::uint8_t> pattern(std::size_t bytes, int sender, int tag) {
  std::vector<std::uint8_t> data(bytes);
  std::uint32_t state = static_cast<std::uint32_t>(sender * 7919 + tag * 104729 + 1);
  for (auto& byte : data) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return data;
}

Rank next(const Comm& comm, int steps = 1) { return (comm.rank() + steps) % comm.size(); }
Rank previous(const Comm& comm, int steps = 1) { return (comm.rank() + comm.size() * steps - steps) % comm.size(); }

void exchange_in_ring(Comm& comm, std::size_t bytes, int tag) {
  const auto out = pattern(bytes, comm.rank(), tag);
  std::vector<std::uint8_t> in(bytes + 3, 0xee);
  const Status status = comm.sendrecv(out, next(comm), in, previous(comm), tag);
  require(status.source == previous(comm) && status.tag == tag && status.bytes == bytes, "status of a sendrecv");
  in.resize(status.bytes);
  require(in == pattern(bytes, previous(comm), tag), "content of " + std::to_string(bytes) + " bytes");
}

void every_length(Comm& comm) {
  // Around the borders of envelopes, packets (64 KiB), the eager limit (256 KiB) and the credit window (1 MiB).
  for (const std::size_t bytes :
       {0,     1,     7,     8,      55,     56,     57,     1000,    4096,    32767,  32768,
        65535, 65536, 65537, 131072, 262143, 262144, 262145, 1048576, 1048577, 3000001}) {
    exchange_in_ring(comm, bytes, static_cast<int>(bytes % 1000));
  }
}

void up_to_64_megabytes(Comm& comm) {
  for (const std::size_t bytes : {16777216, 64000000, 67108864}) exchange_in_ring(comm, bytes, 3);
}

void blocking_send_and_receive(Comm& comm) {
  for (const std::size_t count : {1U, 10000U, 200000U}) {
    std::vector<double> data(count, comm.rank() + 0.5);
    if (comm.size() == 1) {
      // To itself: a blocking send must not wait for its own receive.
      comm.send(data, 0, 1);
      std::vector<double> in(count);
      comm.recv(in, 0, 1);
      require(in == data, "message to itself");
      continue;
    }
    if (comm.rank() % 2 == 0 && comm.rank() + 1 < comm.size()) {
      comm.send(data, comm.rank() + 1, 1);
    } else if (comm.rank() % 2 == 1) {
      comm.recv(data, comm.rank() - 1, 1);
      require(std::ranges::all_of(data, [&](double value) { return value == comm.rank() - 0.5; }), "received values");
    }
  }
}

void progress_alone_moves_long_messages(Comm& comm) {
  constexpr std::size_t bytes = 600001;
  const auto out = pattern(bytes, comm.rank(), 9);
  const auto expected = pattern(bytes, previous(comm), 9);
  std::vector<std::uint8_t> in(bytes, static_cast<std::uint8_t>(~expected.back()));
  std::array<Request, 2> requests{comm.irecv(in, previous(comm), 9), comm.isend(out, next(comm), 9)};
  Deadline deadline;
  while (in.back() != expected.back()) {
    require(!deadline.passed(), "a long message came in without a wait");
    comm.progress();
    std::this_thread::yield();  // 16 tasks share this computer's cores
  }
  comm.wait_all(requests);
  require(in == expected, "content of a message that came meanwhile");
}

void messages_do_not_overtake(Comm& comm) {
  constexpr int count = 400;
  std::vector<Request> requests;
  std::vector<std::vector<int>> out;
  // Short and long ones in turn: an announced long message must not be overtaken by a short one behind it.
  for (int i = 0; i < count; ++i) out.emplace_back(i % 40 == 7 ? 100000 : 1 + i % 5, i);
  for (auto& message : out) requests.push_back(comm.isend(message, next(comm), 5));
  for (int i = 0; i < count; ++i) {
    std::vector<int> in(100000, -1);
    const Status status = comm.recv(in, previous(comm), 5);
    require(in[0] == i && status.bytes == out[static_cast<std::size_t>(i)].size() * sizeof(int),
            "message " + std::to_string(i) + " out of order");
  }
  comm.wait_all(requests);
}

void tags_select(Comm& comm) {
  // Sent in one order, received in the other.
  const std::vector<int> first{1, comm.rank()};
  const std::vector<int> second(150000, 2);
  std::vector<Request> sends;
  sends.push_back(comm.isend(second, next(comm), 20));
  sends.push_back(comm.isend(first, next(comm), 10));
  std::vector<int> in(2);
  comm.recv(in, previous(comm), 10);
  require(in[0] == 1 && in[1] == previous(comm), "message of the later tag");
  std::vector<int> in_second(150000);
  comm.recv(in_second, previous(comm), 20);
  require(in_second == second, "message of the earlier tag");
  comm.wait_all(sends);
}

void wildcards_take_everything_once(Comm& comm) {
  std::vector<Request> sends;
  std::vector<std::array<int, 2>> out(static_cast<std::size_t>(comm.size()));
  for (Rank to = 0; to < comm.size(); ++to) {
    out[static_cast<std::size_t>(to)] = {comm.rank(), to};
    sends.push_back(comm.isend(out[static_cast<std::size_t>(to)], to, 100 + comm.rank()));
  }
  std::vector<bool> seen(static_cast<std::size_t>(comm.size()));
  for (int i = 0; i < comm.size(); ++i) {
    std::array<int, 2> in{-1, -1};
    const Status status = comm.recv(in, any_source, any_tag);
    require(status.source == in[0] && status.tag == 100 + in[0] && in[1] == comm.rank(), "status of a wild receive");
    require(!seen[static_cast<std::size_t>(in[0])], "a message came twice");
    seen[static_cast<std::size_t>(in[0])] = true;
  }
  comm.wait_all(sends);
}

void receives_posted_in_every_order(Comm& comm) {
  constexpr int count = 50;
  std::vector<int> in(count, -1);
  std::vector<Request> requests;
  for (int i = count - 1; i >= 0; --i) {
    requests.push_back(comm.irecv(std::span(&in[static_cast<std::size_t>(i)], 1), previous(comm), i));
  }
  for (int i = 0; i < count; ++i) comm.send(std::array{i * 3}, next(comm), i);
  comm.wait_all(requests);
  for (int i = 0; i < count; ++i) require(in[static_cast<std::size_t>(i)] == i * 3, "posted receive");
}

void wait_any_and_test_complete_each_once(Comm& comm) {
  constexpr int count = 20;
  std::vector<std::vector<int>> in(count, std::vector<int>(50000));
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) requests.push_back(comm.irecv(in[static_cast<std::size_t>(i)], previous(comm), i));
  std::vector<std::vector<int>> out;
  std::vector<Request> sends;
  for (int i = 0; i < count; ++i) out.emplace_back(i % 3 == 0 ? 50000 : 10, i);
  for (int i = count - 1; i >= 0; --i) {
    sends.push_back(comm.isend(out[static_cast<std::size_t>(i)], next(comm), i));
  }
  for (int i = 0; i < count / 2; ++i) {
    Status status;
    const std::size_t index = comm.wait_any(requests, &status);
    require(!requests[index].pending() && status.tag == static_cast<int>(index), "wait_any");
  }
  for (Deadline deadline; std::ranges::any_of(requests, &Request::pending);) {
    require(!deadline.passed(), "test never completes a request");
    for (Request& request : requests) (void)comm.test(request);
  }
  comm.wait_all(sends);
  for (int i = 0; i < count; ++i) require(in[static_cast<std::size_t>(i)][0] == i, "received by wait_any");
}

void probe_sees_without_taking(Comm& comm) {
  const auto out = pattern(static_cast<std::size_t>(1000 + comm.rank()), comm.rank(), 9);
  const auto long_out = pattern(400000, comm.rank(), 8);
  std::vector<Request> sends;
  sends.push_back(comm.isend(out, next(comm), 9));
  sends.push_back(comm.isend(long_out, next(comm), 8));
  const Status found = comm.probe(any_source, 9);
  require(found.source == previous(comm) && found.bytes == static_cast<std::size_t>(1000 + found.source), "probe");
  const Status found_long = comm.probe(previous(comm), 8);
  require(found_long.bytes == 400000, "probe of a long message");
  Status again;
  require(comm.iprobe(found.source, 9, again) && again.bytes == found.bytes, "iprobe after probe");
  std::vector<std::uint8_t> in(found.bytes);
  comm.recv(in, found.source, found.tag);
  require(in == pattern(found.bytes, found.source, 9), "receive after probe");
  require(!comm.iprobe(any_source, 9, again), "iprobe after the receive");
  std::vector<std::uint8_t> long_in(found_long.bytes);
  comm.recv(long_in, previous(comm), 8);
  comm.wait_all(sends);
}

void everybody_sends_long_messages_to_everybody(Comm& comm) {
  constexpr std::size_t bytes = 300000;
  std::vector<std::vector<std::uint8_t>> in(static_cast<std::size_t>(comm.size()), std::vector<std::uint8_t>(bytes));
  const auto out = pattern(bytes, comm.rank(), 4);
  std::vector<Request> requests;
  for (int step = 0; step < comm.size(); ++step) requests.push_back(comm.isend(out, next(comm, step), 4));
  for (int step = 0; step < comm.size(); ++step) {
    const Rank from = previous(comm, step);
    requests.push_back(comm.irecv(in[static_cast<std::size_t>(from)], from, 4));
  }
  comm.wait_all(requests);
  for (Rank from = 0; from < comm.size(); ++from) {
    require(in[static_cast<std::size_t>(from)] == pattern(bytes, from, 4), "content from every rank");
  }
}

void short_messages_wait_for_their_receives(Comm& comm) {
  // More than the credit window, all unexpected: the sender must be held back and then let go.
  constexpr int count = 3000;
  std::vector<Request> requests;
  const auto out = pattern(2000, comm.rank(), 6);
  for (int i = 0; i < count; ++i) requests.push_back(comm.isend(out, next(comm), 6));
  comm.barrier();
  std::vector<std::uint8_t> in(2000);
  for (int i = 0; i < count; ++i) comm.recv(in, previous(comm), 6);
  require(in == pattern(2000, previous(comm), 6), "content of the last one");
  comm.wait_all(requests);
}

void collectives_agree_with_the_obvious(Comm& comm) {
  const int size = comm.size();
  const auto ranks = static_cast<std::size_t>(size);
  for (const std::size_t count : {std::size_t{1}, std::size_t{17}, std::size_t{40000}}) {
    std::vector<double> data(count, comm.rank() == size - 1 ? 2.5 : 0.0);
    comm.broadcast(data, size - 1);
    require(std::ranges::all_of(data, [](double value) { return value == 2.5; }), "broadcast");

    std::vector<std::int64_t> sum(count, comm.rank() + 1);
    comm.allreduce(sum);
    require(std::ranges::all_of(sum, [&](auto value) { return value == size * (size + 1) / 2; }), "allreduce");

    std::vector<int> most(count, (comm.rank() * 5) % size);
    comm.reduce(most, Max{}, 0);
    if (comm.rank() == 0) {
      int expected = 0;
      for (int rank = 0; rank < size; ++rank) expected = std::max(expected, rank * 5 % size);
      require(most[0] == expected && most.back() == expected, "reduce");
    }

    std::vector<int> prefix(count, comm.rank() + 1);
    comm.scan(prefix);
    require(prefix.back() == (comm.rank() + 1) * (comm.rank() + 2) / 2, "scan");

    const std::vector<int> mine(count, comm.rank());
    std::vector<int> all(count * ranks);
    comm.allgather(mine, all);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      require(all[rank * count] == static_cast<int>(rank), "allgather");
    }
    std::vector<int> gathered(comm.rank() == 0 ? count * ranks : 0);
    comm.gather(mine, gathered, 0);
    if (comm.rank() == 0) require(gathered == all, "gather");
    std::vector<int> part(count, -1);
    comm.scatter(gathered, part, 0);
    require(part == mine, "scatter");

    std::vector<int> out(count * ranks);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = comm.rank() * 1000 + static_cast<int>(i / count);
    std::vector<int> in(count * ranks);
    comm.alltoall(out, in);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      require(in[rank * count] == static_cast<int>(rank) * 1000 + comm.rank(), "alltoall");
    }
  }
}

void uneven_alltoallv(Comm& comm) {
  const auto size = static_cast<std::size_t>(comm.size());
  std::vector<std::size_t> out_counts(size), in_counts(size);
  for (std::size_t rank = 0; rank < size; ++rank) {
    out_counts[rank] = (static_cast<std::size_t>(comm.rank()) * 3 + rank * 7) % 5 * 1000;
    in_counts[rank] = (rank * 3 + static_cast<std::size_t>(comm.rank()) * 7) % 5 * 1000;
  }
  const std::vector<std::complex<double>> out(std::reduce(out_counts.begin(), out_counts.end()),
                                              {1.0 * comm.rank(), 2.0});
  std::vector<std::complex<double>> in(std::reduce(in_counts.begin(), in_counts.end()));
  comm.alltoallv(out, out_counts, in, in_counts);
  std::size_t at = 0;
  for (std::size_t rank = 0; rank < size; ++rank) {
    for (std::size_t i = 0; i < in_counts[rank]; ++i, ++at) {
      require(in[at] == std::complex<double>(static_cast<double>(rank), 2.0), "alltoallv");
    }
  }
}

void split_comms_do_not_mix(Comm& comm) {
  const auto half = comm.split(comm.rank() % 2, -comm.rank());
  const auto everyone = comm.split(0, comm.rank());
  const int expected_size = comm.size() / 2 + (comm.rank() % 2 == 0 ? comm.size() % 2 : 0);
  require(half->size() == expected_size, "size of a split Comm");
  require(half->rank() == half->size() - 1 - comm.rank() / 2, "rank order by key");
  // A message of one Comm is invisible to the other, even with a wild receive.
  const std::array<int, 1> out{comm.rank()}, others{-1};
  Request in_world = comm.isend(out, next(comm), 1);
  Request in_everyone = everyone->isend(others, next(comm), 1);
  std::array<int, 1> in{};
  everyone->recv(in, any_source, any_tag);
  require(in[0] == -1, "message of another Comm");
  comm.recv(in, any_source, any_tag);
  require(in[0] == previous(comm), "message of this Comm");
  comm.wait(in_world);
  everyone->wait(in_everyone);
  require(half->allreduce_value(1) == half->size(), "allreduce of a half");
}

/// Each task stores in the windows of all others, twice, and reads its own when the news has come.
void windows_show_what_others_store(Comm& comm) {
  for (const Windows::Memory memory : {Windows::Memory::at_once, Windows::Memory::when_touched}) {
    const auto tasks = static_cast<std::size_t>(comm.size());
    const std::size_t block = (std::size_t{5} << 19) / tasks;
    const auto windows = Windows::open(comm, tasks * block * sizeof(int), memory);
    const int have = comm.allreduce_value(windows != nullptr ? 1 : 0);
    require(have == 0 || have == comm.size(), "some have windows and some have not");
    if (have == 0) continue;
    const auto block_of = [&](Rank owner, Rank writer) {
      auto* const numbers = reinterpret_cast<int*>(windows->of(owner).data());
      return std::span(numbers, tasks * block).subspan(static_cast<std::size_t>(writer) * block, block);
    };
    for (int round = 0; round < 2; ++round) {
      std::vector<Request> requests;
      for (Rank peer = 0; peer < comm.size(); ++peer) {
        std::ranges::fill(block_of(peer, comm.rank()), 1000 * round + comm.rank());
        if (peer == comm.rank()) continue;
        requests.push_back(comm.irecv_placed(block * sizeof(int), peer, 9));
        requests.push_back(comm.isend_placed(block * sizeof(int), peer, 9));
      }
      comm.wait_all(requests);
      for (Rank peer = 0; peer < comm.size(); ++peer) {
        const auto is_theirs = [&](int number) { return number == 1000 * round + peer; };
        require(std::ranges::all_of(block_of(comm.rank(), peer), is_theirs), "a window shows something else");
      }
      comm.barrier();
    }
  }
}

/// What comm.hpp says of errors, whoever notices: the receive itself, or another call.
void what_does_not_fit_is_lost_alone(Comm& comm) {
  if (comm.size() == 1) return;  // the send to oneself would be what complains
  const auto complains = [](const auto& call) {
    try {
      call();
    } catch (const RunError& error) {
      require(std::string(error.what()).find("does not fit its receive buffer of 20 bytes") != std::string::npos,
              "what is said of a message that does not fit");
      return true;
    }
    return false;
  };
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{300'000}}) {
    const std::vector<std::byte> data(bytes);
    const std::array behind{comm.rank()};
    // Open MPI 4.1 writes a message that it fetches by one copy whole, also where its receive is too short.
    std::vector<std::byte> memory(bytes);
    const std::span room = std::span(memory).first(20);
    std::array<int, 1> in{-1};
    const auto check_what_is_behind = [&](Tag tag) {
      comm.recv(in, previous(comm), tag);
      require(in[0] == previous(comm), "the message behind one that does not fit");
    };
    std::vector<Request> sends;
    for (const Tag tag : {1, 2, 3, 4}) {
      if (tag % 2 == 1) sends.push_back(comm.isend(data, next(comm), tag));
      else sends.push_back(comm.isend(behind, next(comm), tag));
    }
    require(complains([&] { comm.recv(room, previous(comm), 1); }), "a receive that is too short complains");
    check_what_is_behind(2);
    // It has come by now, or comes while nobody waits for it.
    std::optional<Request> receive;
    bool noticed = complains([&] { receive.emplace(comm.irecv(room, previous(comm), 3)); });
    for (Deadline deadline; !noticed && !deadline.passed();) noticed = complains([&] { comm.progress(); });
    require(noticed, "a receive that is too short is told of by progress");
    if (receive) require(complains([&] { comm.wait(*receive); }), "who waits for what another call has noticed");
    check_what_is_behind(4);
    comm.wait_all(sends);
    // A send that was under way beside such a receive goes on.
    const auto send_and_receive = [&] {
      const Request send = comm.isend(data, next(comm), 5);
      comm.recv(room, previous(comm), 5);
    };
    require(complains(send_and_receive), "a receive that is too short beside a send");
    comm.progress();
    Request last = comm.isend(behind, next(comm), 6);
    check_what_is_behind(6);
    comm.wait(last);
    comm.barrier();  // data is there until all have it
  }
}

void counters_count_every_message_once(Comm& comm) {
  comm.barrier();
  const Counters before = comm.counters();
  const std::vector<double> out(1000, 1.0);
  std::vector<double> in(1000);
  comm.sendrecv(out, next(comm), in, previous(comm));
  const PeerCounters total = (comm.counters() - before).total();
  require(total.messages_sent == 1 && total.bytes_sent == 8000, "sent");
  require(total.messages_received == 1 && total.bytes_received == 8000, "received");
  const Counters region = comm.counters() - before;
  require(region.calls == 1 && region.communication > 0 && region.idle >= 0 && region.idle <= region.communication,
          "times");
}

constexpr std::array checks{
    Check{"every length", every_length},
    Check{"blocking send and receive", blocking_send_and_receive},
    Check{"messages do not overtake", messages_do_not_overtake},
    Check{"tags select", tags_select},
    Check{"wildcards take everything once", wildcards_take_everything_once},
    Check{"receives posted in every order", receives_posted_in_every_order},
    Check{"wait_any and test complete each once", wait_any_and_test_complete_each_once},
    Check{"probe sees without taking", probe_sees_without_taking},
    Check{"everybody sends long messages to everybody", everybody_sends_long_messages_to_everybody},
    Check{"short messages wait for their receives", short_messages_wait_for_their_receives},
    Check{"collectives agree with the obvious", collectives_agree_with_the_obvious},
    Check{"uneven alltoallv", uneven_alltoallv},
    Check{"progress alone moves long messages", progress_alone_moves_long_messages},
    Check{"split comms do not mix", split_comms_do_not_mix},
    Check{"windows show what others store", windows_show_what_others_store},
    Check{"what does not fit is lost alone", what_does_not_fit_is_lost_alone},
    Check{"counters count every message once", counters_count_every_message_once},
};

constexpr std::array long_checks{Check{"up to 64 megabytes", up_to_64_megabytes}};

}  // namespace

std::span<const Check> conformance_checks() { return checks; }
std::span<const Check> long_message_checks() { return long_checks; }

void run_checks(Comm& comm, std::span<const Check> list) {
  for (const Check& check : list) {
    try {
      check.run(comm);
      comm.barrier();
    } catch (const std::logic_error& error) {
      throw std::logic_error("check \"" + std::string(check.name) + "\": " + error.what());
    }
  }
}

}  // namespace nasvm::test
