#include "fake_executor.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "harness/program.hpp"

namespace nasvm {

std::vector<RecordType> all_record_types() { return record_types(commands({})); }
Document read_document(const std::string& path) { return read_document(path, all_record_types()); }
Document from_json(std::string_view text, const std::string& name) {
  return from_json(text, name, all_record_types());
}

}  // namespace nasvm

namespace nasvm::test {
namespace {

double p2p_latency_us(const std::string& path) { return path == "daemon" ? 40 : path == "direct" ? 10 : 8; }

}  // namespace

std::string render(const std::vector<Source>& sources, std::string_view format, Columns columns) {
  const std::vector<CommandRow> rows = commands({});
  const View* view = view_of(sources.front().document, rows);
  const Report report{view == nullptr ? rows.front().views.front() : *view, sources, columns};
  return find_format(formats(), format, report.view)->render(report);
}

std::vector<std::string_view> format_names_of(std::string_view command) {
  for (const CommandRow& row : commands({})) {
    if (row.name == command) return format_names(formats(), row.views);
  }
  return {};
}

RunRecord good_run(const std::string& transport, double time_s) {
  RunRecord run;
  run.verified = true;
  run.time_s = time_s;
  run.comm.by_rank = {{0, "box", 3000000, 1000000, 30, 10, time_s / 4, time_s / 8},
                      {1, "box", 1000000, 3000000, 10, 30, time_s / 2, time_s / 16}};
  run.comm.by_method[transport] = {4000000, 40};
  add_up(run.comm);
  run.details = {{"error", "1.2e-13"}};
  return run;
}

SurveyedHost surveyed_host(int index, const char* name, const char* computer, std::vector<int> ranks) {
  return {
      {name, "10.0.0.1", "Fast CPU", 2, 24684092000, "Linux 6.1.0", 17, "0.1.0", computer}, index, std::move(ranks)};
}

Methods methods_of_three(const std::string& transport, int far) {
  const std::vector<Consideration> there{{"shm", ""}, {"direct", ""}};
  const std::vector<Consideration> away{{"shm", "the peer is on another computer"}, {"direct", ""}};
  return {transport,
          {{0, 1, 0, 0, "shm", there},
           {0, 2, 0, far, "direct", away},
           {1, 0, 0, 0, "shm", there},
           {1, 2, 0, far, "direct", away},
           {2, 0, far, 0, "direct", away},
           {2, 1, far, 0, "direct", away}}};
}

MachineRecord small_machine() { return {{{"box", "Fast CPU", 2, 24684092000, "Linux 6.1.0"}}}; }

P2pRecord p2p_record(const std::string& path, std::uint64_t bytes, double us) {
  P2pRecord record;
  record.transport = record.method = path;
  record.bytes = bytes;
  record.window = 4;
  record.iterations = 1000;
  record.windows = 250;
  record.bound = true;
  const double each_us = us + static_cast<double>(bytes) / 1000;
  record.latency = {each_us, each_us * 1.25, each_us * 0.5, each_us * 2, each_us * 4};
  const double mb_s = 4 * static_cast<double>(bytes) / each_us;
  record.bandwidth = {mb_s, mb_s * 0.75};
  record.bidirectional = {mb_s * 1.5, mb_s};
  record.messages_per_s = 4e6 / each_us;
  return record;
}

CollectiveRecord collective_record(const std::string& collective, int np, const std::string& path,
                                   std::uint64_t bytes, double us) {
  CollectiveRecord record;
  record.collective = collective;
  record.np = np;
  record.transport = record.method = path;
  record.bytes = bytes;
  record.iterations = 1000;
  record.bound = true;
  record.time = {us, us * 1.1, us * 0.9, us * 2, us * 3};
  record.average_us = us / 2;
  record.back_to_back_us = us / 4;
  return record;
}

P2pReport good_p2p_report(const P2pSpec& spec, const P2pOptions& options) {
  P2pReport report;
  if (options.kind == P2pKind::collective) {
    for (const std::string& name : options.collectives) {
      const double us = p2p_latency_us(spec.path) * (1 + 0.1 * spec.repeat);
      for (const std::uint64_t bytes : find_collective(name)->sizes_among(options.sizes)) {
        report.collectives.push_back(collective_record(name, options.np, spec.path, bytes, us));
      }
    }
    return report;
  }
  if (options.kind == P2pKind::mixed) {
    for (const std::uint64_t bytes : options.sizes) {
      for (const std::size_t i : {0, 1}) {
        MixedRecord record;
        record.transport = options.paths[i];
        record.beside = options.paths[1 - i];
        record.bytes = bytes;
        record.latency.mean_us = 1 + static_cast<double>(i);
        report.mixed.push_back(record);
      }
    }
    return report;
  }
  for (const std::uint64_t bytes : options.sizes) {
    if (spec.yardstick && bytes == 0) continue;
    report.records.push_back(p2p_record(spec.path, bytes, p2p_latency_us(spec.path) * (1 + 0.1 * spec.repeat)));
    if (options.effort.check_data) report.records.back().data = DataCheck::passed;
  }
  return report;
}

McastRecord mcast_record(int receivers, std::uint64_t bytes, double ms) {
  McastRecord record;
  record.receivers = receivers;
  record.bytes = bytes;
  record.packet_bytes = 1472;
  record.window = 64;
  record.iterations = 20;
  const auto time = [](double s) { return McastTime{s, s * 0.875, s * 1.25, s * 1.125, s * 0.75, s * 2}; };
  record.time = time(ms / 1000);
  record.last = time(ms / 1000 * 0.75);
  record.cost = {static_cast<double>(std::max<std::uint64_t>(1, (bytes + 1471) / 1472)), 0.25, 1, ms / 4000,
                 ms / 8000};
  return record;
}

McastReport good_mcast_report(const McastSpec& spec, const McastOptions& options) {
  McastReport report;
  for (const std::uint64_t bytes : options.sizes) {
    const double ms = (1 + static_cast<double>(bytes) / 10'000) * (1 + 0.1 * spec.repeat);
    McastRecord record = mcast_record(spec.receivers, bytes, spec.kind == McastKind::system ? 4 * ms : ms);
    record.authenticated = options.authenticated && spec.kind != McastKind::system;
    if (spec.kind == McastKind::unreliable) record.time = record.last;
    if (spec.kind == McastKind::system) {
      record.packet_bytes = record.window = 0;
      record.cost.data_packets = record.cost.retransmitted = record.cost.control_packets = 0;
    }
    if (options.effort.check_data && spec.kind != McastKind::unreliable) record.data = DataCheck::passed;
    report.records.push_back(record);
  }
  return report;
}

ExecResult good_exec_result(const ExecSpec& spec, const ExecOptions&) {
  ExecResult result;
  result.run = good_run(spec.transport, (spec.transport == "daemon" ? 0.5 : 0.25) * (1 + 0.125 * spec.repeat));
  result.run.details.clear();
  result.run.comm.by_rank.clear();
  const double time_s = result.run.time_s;
  for (int rank = 0; rank < spec.np; ++rank) {
    const std::uint64_t sent = rank + 1 < spec.np ? 1'000'000 * static_cast<std::uint64_t>(rank + 1) : 0;
    const std::uint64_t received = 1'000'000 * static_cast<std::uint64_t>(rank);
    result.run.comm.by_rank.push_back({rank, "box", sent, received, sent / 1'000'000, received / 1'000'000,
                                       time_s / (2 + rank), time_s / (8 + rank), time_s});
    if (sent > 0) result.run.comm.by_pair.push_back({rank, rank + 1, sent, sent / 1'000'000});
  }
  add_up(result.run.comm);
  const auto tasks = static_cast<std::uint64_t>(spec.np);
  result.calls = {{.function = "MPI_Recv", .calls = tasks - 1, .time_s = time_s / 2, .time_mean_s = time_s / 4},
                  {.function = "MPI_Send",
                   .calls = tasks - 1,
                   .bytes = result.run.comm.volume_bytes,
                   .time_s = time_s / 8,
                   .time_mean_s = time_s / 16,
                   .time_min_s = time_s / 32},
                  {.function = "MPI_Comm_rank", .calls = tasks}};
  result.lengths = {{.bytes = 524288, .messages = 1}, {.bytes = 1048576, .messages = tasks - 1}};
  return result;
}

MpiProgramResult npb_output(const std::string& title, char problem_class, int tasks, const std::string& time_s,
                            const std::string& mops, const std::string& verification) {
  MpiProgramResult result;
  result.ended_well = true;
  result.ending = "exited with status 0";
  result.output = {" NAS Parallel Benchmarks 3.4 -- " + title + " Benchmark",
                   " Size:       1400  (class " + std::string(1, problem_class) + ")",
                   "",
                   " " + title + " Benchmark Completed.",
                   " Class           =                        " + std::string(1, problem_class),
                   " Time in seconds =                     " + time_s,
                   " Total processes =                        " + std::to_string(tasks),
                   " Mop/s total     =                  " + mops,
                   " Verification    =               " + verification,
                   " Version         =                      3.4",
                   "",
                   "    FFLAGS       = -O3 -march=native"};
  return result;
}

std::vector<LimitRecord> round_limits(std::span<const int>) {
  return {{"L1", 1, 48 << 10, 400, 300, 0}, {"L2", 1, 1 << 20, 200, 150, 0},  {"memory", 1, 0, 50, 40, 0},
          {"compute", 1, 0, 0, 0, 100},     {"L1", 2, 96 << 10, 800, 600, 0}, {"L2", 2, 2 << 20, 400, 300, 0},
          {"memory", 2, 0, 50, 40, 0},      {"compute", 2, 0, 0, 0, 200}};
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string write_build(const Folder& folder, const std::string& name) {
  std::filesystem::create_directory(folder.file(name));
  for (const char* program : {"/nasvm", "/nasvmd"}) {
    if (::chmod(folder.write(name + program, "").c_str(), 0755) != 0) throw std::runtime_error("chmod " + name);
  }
  return folder.file(name);
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Document sample_document(int repeats) {
  Document document;
  document.created = "2026-11-20T12:00:00Z";
  document.command = {"nasvm", "run", "ft"};
  document.machine = small_machine();
  document.build = {"0.1.0-rc1", "abc123def456", "GNU 12.2.0",
                    "-O3",       "20 Nov 2026",  {{"eigen", "3.4.0"}, {"fftw", "3.3.10"}, {"openmpi", "4.1.4"}},
                    "x86-64-v3"};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const std::string transport : {"daemon", "direct"}) {
      RunRecord run = good_run(transport, (transport == "daemon" ? 2.0 : 1.25) + 0.125 * repeat);
      run.kernel = "ft";
      run.problem_class = 'A';
      run.np = 2;
      run.transport = transport;
      run.repeat = repeat;
      run.mops = 1000 / run.time_s;
      document.records<RunRecord>().push_back(run);
    }
  }
  return document;
}

Session::Session() = default;
Session::~Session() = default;

int Session::operator()(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "nasvm");
  Console console;
  console.out = [&](std::string_view text) {
    if (out_is_broken) throw RunError("cannot write to standard output: Broken pipe");
    out += text;
  };
  console.err = [&](std::string_view text) { err += text; };
  console.err_is_terminal = terminal;
  console.out_columns = out_columns;
  console.err_columns = err_columns;
  console.now = [this] { return now; };
  Executors executors;
  executors.run = [&](const RunOptions&) { return std::make_unique<FakeExecutor>(behaviour, &seen); };
  executors.p2p = [&](const P2pOptions& options) {
    return std::make_unique<FakeP2pExecutor>(options, p2p_behaviour, &p2p_seen);
  };
  executors.mcast = [&](const McastOptions& options) {
    return std::make_unique<FakeMcastExecutor>(options, mcast_behaviour, &mcast_seen);
  };
  executors.peer = [&](const MpiProgram& peer, std::chrono::milliseconds timeout) {
    peers_seen.push_back(peer.path + " " + std::to_string(peer.tasks));
    for (const std::string& variable : peer.environment) peers_seen.back() += " " + variable;
    return peer_behaviour(peer.path, peer.tasks, timeout);
  };
  executors.peer_over_ours = [&](const MpiProgram& peer, const std::string& transport,
                                 std::chrono::milliseconds timeout) {
    peers_seen.push_back(peer.path + " " + std::to_string(peer.tasks) + " over " + transport);
    return peer_behaviour(peer.path, peer.tasks, timeout);
  };
  executors.launch = launch_behaviour;
  executors.limits = round_limits;
  executors.program = [&](const ExecOptions& options) {
    return std::make_unique<FakeProgramExecutor>(options, program_behaviour, program_status);
  };
  executors.hosts = [&](const HostsOptions& options) {
    hosts_seen.push_back(options);
    return hosts_behaviour(options);
  };
  executors.lab = [&](const LabOptions& options) {
    labs_seen.push_back("up " + std::to_string(options.hosts) + " " + std::to_string(options.rate_mbit_s) +
                        " Mbit/s " + (options.medium == Medium::shared ? "shared" : "switched"));
    return std::make_unique<FakeLab>(lab_behaviour, &labs_seen);
  };
  const std::vector<CommandRow> rows = commands(executors);
  return program(arguments, {.commands = rows, .formats = formats(), .protocols = protocols}, console);
}

}  // namespace nasvm::test
