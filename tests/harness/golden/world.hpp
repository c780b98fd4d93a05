#pragma once
/// \file
/// The program `nasvm` in a world without clocks and machines, for transcripts: the only place of the golden tests
/// that knows types of the harness. Every result follows from the command line alone.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../fake_executor.hpp"

namespace nasvm::test::golden {

/// How the world answers to what is measured.
enum class Mood {
  good,
  slower,      ///< everything takes half as long again
  noisy,       ///< the fifth repeat takes ten times as long
  unverified,  ///< the first repeat over direct is wrong, as is the peer's mg
  broken,      ///< a task over direct dies; peers fail to start
  overdue,     ///< peers do not end
  unbound,     ///< there are too few cores
  scales,      ///< more tasks take less time; each sends to the next one
};

inline Mood mood_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Mood>, 8> moods{{{"good", Mood::good},
                                                                    {"slower", Mood::slower},
                                                                    {"noisy", Mood::noisy},
                                                                    {"unverified", Mood::unverified},
                                                                    {"broken", Mood::broken},
                                                                    {"overdue", Mood::overdue},
                                                                    {"unbound", Mood::unbound},
                                                                    {"scales", Mood::scales}}};
  const auto* const found = std::ranges::find(moods, name, &std::pair<std::string_view, Mood>::first);
  if (found == moods.end()) throw std::invalid_argument("no mood " + std::string(name));
  return found->second;
}

inline double factor(Mood mood, int repeat) {
  if (mood == Mood::slower) return 1.5;
  return mood == Mood::noisy && repeat == 4 ? 10 : 1;
}

inline void die_over_direct(Mood mood, const std::string& transport) {
  if (mood == Mood::broken && transport == "direct") throw RunError("task 1 was killed by signal 9 (Killed)");
}

/// Two seconds over daemon, one and a quarter over direct, one over anything else; each repeat an eighth longer.
/// A tenth of the work is not divided; tasks of odd rank are twice as long in messages, a twentieth of the time for
/// the others, and two hosts make that half as much again.
inline RunRecord scaled_run(const RunSpec& spec) {
  const int hosts = std::max(1, spec.hosts);
  RunRecord run = good_run(spec.transport, (spec.transport == "daemon" ? 2.0 : 1.25) * (0.1 + 0.9 / spec.np));
  run.time_s *= 1 + 0.125 * spec.repeat;
  run.comm = {};
  for (int rank = 0; rank < spec.np; ++rank) {
    const int next = (rank + 1) % spec.np;
    const int previous = (rank + spec.np - 1) % spec.np;
    const auto sent = [&](int from) { return spec.np == 1 ? 0 : 1000000 * static_cast<std::uint64_t>(from + 1); };
    const double part = spec.np == 1 ? 0 : 0.05 * (1 + rank % 2) * (1 + 0.5 * (hosts - 1));
    const std::string host = "box" + std::to_string(rank * hosts / spec.np);
    run.comm.by_rank.push_back({rank, host, sent(rank), sent(previous), sent(rank) / 100000, sent(previous) / 100000,
                                run.time_s * part, run.time_s * part / 2, run.time_s});
    if (spec.np > 1) run.comm.by_pair.push_back({rank, next, sent(rank), sent(rank) / 100000});
  }
  add_up(run.comm);
  return run;
}

inline RunRecord run_kernel(Mood mood, const RunSpec& spec) {
  die_over_direct(mood, spec.transport);
  if (mood == Mood::scales) return scaled_run(spec);
  const double usual_s = spec.transport == "daemon" ? 2.0 : spec.transport == "direct" ? 1.25 : 1.0;
  RunRecord run = good_run(spec.transport, (usual_s + 0.125 * spec.repeat) * factor(mood, spec.repeat));
  run.comm.by_rank.clear();
  for (int rank = 0; rank < spec.np; ++rank) {
    const auto share = static_cast<std::uint64_t>(rank + 1);
    run.comm.by_rank.push_back({rank, "box", 1000000 * share, 2000000 / share, 10 * share, 20 / share,
                                run.time_s / static_cast<double>(2 + rank),
                                run.time_s / static_cast<double>(8 + rank)});
  }
  add_up(run.comm);
  run.verified = mood != Mood::unverified || spec.transport != "direct" || spec.repeat != 0;
  return run;
}

/// Latencies in microseconds, all of them `us` or a simple part of it.
inline void set_latency(Latency& latency, double us) { latency = {us, us * 1.25, us * 0.5, us * 2, us * 4}; }

inline P2pReport run_p2p(Mood mood, const P2pSpec& spec, const P2pOptions& options) {
  die_over_direct(mood, spec.path);
  P2pReport report = good_p2p_report(spec, options);
  const bool wrong = mood == Mood::unverified && spec.path == "direct";
  const auto finish = [&](auto& record, Latency& latency) {
    set_latency(latency, latency.median_us * factor(mood, spec.repeat));
    if (spec.path == "auto") record.method = "direct";
    if (options.effort.check_data) record.data = DataCheck::passed;
    if (wrong && record.bytes == 8) record.data = DataCheck::failed;
    record.bound = mood != Mood::unbound;
  };
  for (P2pRecord& record : report.records) finish(record, record.latency);
  for (CollectiveRecord& record : report.collectives) finish(record, record.time);
  for (MixedRecord& record : report.mixed) {
    const bool cheap = record.transport == options.paths[0];
    const double looks = spec.skip_poll == 0 ? 2 : spec.skip_poll;
    record.iterations = cheap ? 4096 : 64;
    record.bound = mood != Mood::unbound;
    set_latency(record.latency, (cheap ? 1 + 8 / looks : 20 + looks / 4) * (1 + 0.1 * spec.repeat) +
                                    static_cast<double>(record.bytes) / 1000);
  }
  if (wrong) report.complaints = {"8 bytes, stream: byte 3 arrived as 0x00 instead of 0x01"};
  return report;
}

/// The first size arrives wrong with `fanout` where nothing verifies; where something breaks, everything does.
inline McastReport run_mcast(Mood mood, const McastSpec& spec, const McastOptions& options) {
  die_over_direct(mood, "direct");
  McastReport report = good_mcast_report(spec, options);
  if (mood != Mood::unverified || spec.variant.protocol != "fanout") return report;
  report.records.front().data = DataCheck::failed;
  report.complaints = {"4 bytes: byte 3 arrived at rank 1 as 0x00 instead of 0x01"};
  return report;
}

/// Three seconds and a bit for every program, whose name is such as "ft.A.x".
inline MpiProgramResult run_peer_program(Mood mood, const std::string& program, int tasks, int calls) {
  MpiProgramResult result;
  result.ending = "exited with status 16";
  result.errors = {"mpirun was unable to start the job", "  error: there are not enough slots"};
  if (mood == Mood::broken) return result;
  result.overdue = mood == Mood::overdue;
  if (result.overdue) return result;
  const std::size_t name = program.rfind('/') + 1;
  std::string title = program.substr(name, 2);
  for (char& c : title) c = static_cast<char>(c - 'a' + 'A');
  const bool wrong = mood == Mood::unverified && title == "MG";
  return npb_output(title, program[name + 3], tasks, "3." + std::to_string(10 + 5 * (calls % 4)), "0",
                    wrong ? "UNSUCCESSFUL" : "SUCCESSFUL");
}

/// Three tasks: two on one host, which find each other in memory; the third elsewhere.
inline Survey survey(const HostsOptions& options) {
  Survey found{
      {surveyed_host(0, "near", "a", {0, 1}), surveyed_host(1, "nigh", "a", {}), surveyed_host(2, "far", "b", {2})},
      3,
      {}};
  if (!options.methods) return found;
  for (const std::string& transport : options.transports) found.methods.push_back(methods_of_three(transport, 2));
  return found;
}

/// Programs of others are as fast as they are.
inline ExecResult run_program_of_others(Mood mood, const ExecSpec& spec, const ExecOptions& options) {
  die_over_direct(mood, spec.transport);
  ExecResult result = good_exec_result(spec, options);
  result.run.time_s *= factor(mood, spec.repeat);
  result.run.verified = mood != Mood::unverified || spec.transport != "direct" || spec.repeat != 0;
  return result;
}

/// What the program wrote, and its exit status.
struct Answer {
  int status = 0;
  std::string out;
  std::string err;
};

/// Is standard error a terminal, and can standard output be written?
struct Streams {
  bool terminal = false;
  bool out_is_broken = false;
};

inline Answer run_program(const std::vector<std::string>& arguments, Mood mood, const Streams& streams) {
  Session session;
  session.terminal = streams.terminal;
  session.out_is_broken = streams.out_is_broken;
  session.behaviour = [mood](const RunSpec& spec) { return run_kernel(mood, spec); };
  session.p2p_behaviour = [mood](const P2pSpec& spec, const P2pOptions& options) {
    return run_p2p(mood, spec, options);
  };
  session.mcast_behaviour = [mood](const McastSpec& spec, const McastOptions& options) {
    return run_mcast(mood, spec, options);
  };
  session.peer_behaviour = [mood, calls = 0](const std::string& program, int tasks,
                                             std::chrono::milliseconds) mutable {
    return run_peer_program(mood, program, tasks, calls++);
  };
  session.hosts_behaviour = survey;
  session.program_behaviour = [mood](const ExecSpec& spec, const ExecOptions& options) {
    return run_program_of_others(mood, spec, options);
  };
  // The program of a build folder is this one, in the mood that the folder is named after.
  session.launch_behaviour = [](const std::string& program, std::vector<std::string> words, auto) {
    const std::filesystem::path folder = std::filesystem::path(program).parent_path().filename();
    const Answer answer = run_program(words, mood_named(folder.string()), {});
    ProgramResult result;
    result.output = lines_of_text(answer.out);
    result.errors = lines_of_text(answer.err);
    result.exit_status = answer.status;
    result.ended_well = answer.status == 0;
    result.ending = "exited with status " + std::to_string(answer.status);
    return result;
  };
  const int status = session(arguments);
  return {status, session.out, session.err};
}

}  // namespace nasvm::test::golden
