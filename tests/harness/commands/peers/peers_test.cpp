/// \file
/// `nasvm peers` with stand-ins for the machine and for mpirun.

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/commands/peers/record.hpp"
#include "harness/document/document.hpp"
#include "harness/program.hpp"
#include "harness/text.hpp"

using namespace nasvm;
using namespace nasvm::test;
using Catch::Contains;

namespace {

/// A folder with programs of peers, which nobody starts.
struct Bin : Folder {
  explicit Bin(const std::vector<std::string>& names) {
    for (const std::string& name : names) ::chmod(write(name, "").c_str(), 0755);
  }
  [[nodiscard]] std::string path() const { return file(""); }
};

/// "ft.A.x" of a path, as title and class.
std::pair<std::string, char> named(const std::string& program) {
  std::string title = program.substr(program.rfind('/') + 1, 2);
  for (char& c : title) c = static_cast<char>(c - 'a' + 'A');
  return {title, program[program.size() - 3]};
}

/// Takes three seconds whatever it is.
MpiProgramResult three_seconds(const std::string& program, int tasks, std::chrono::milliseconds) {
  const auto [title, problem_class] = named(program);
  return npb_output(title, problem_class, tasks, "3.00", "0");
}

template <typename Behaviour>
Session session_with(Behaviour behaviour) {
  Session session;
  session.peer_behaviour = std::move(behaviour);
  return session;
}

Conditions core_to_core(double ns) { return {ns, 12, 0, 0, 10}; }

/// Finds the conditions that a test has set.
class FakeMeter final : public ConditionsMeter {
 public:
  explicit FakeMeter(const Conditions& conditions) : conditions_(conditions) {}
  void begin(int) override {}
  Sampled end() override { return {conditions_, false}; }

 private:
  const Conditions& conditions_;
};

/// `nasvm peers` with a meter, which Session has not: runs are at 55 ns from core to core, the second one of one side
/// is at 250 and takes a minute.
struct OddSession {
  std::string odd;  ///< that side: "ours", "as built", "huge pages"
  std::string out{};
  std::string err{};
  std::vector<std::string> runs{};  ///< of which side each was

  bool is_odd(const std::string& side) {
    runs.push_back(side);
    return side == odd && std::ranges::count(runs, side) == 2;
  }

  int operator()(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "nasvm");
    std::vector<RunSpec> seen;
    Conditions theirs;
    const auto ours = [this](const RunSpec& spec) {
      const bool far = is_odd("ours");
      RunRecord run = good_run(spec.transport, far ? 60 : 1);
      run.sampled.conditions = core_to_core(far ? 250 : 55);
      return run;
    };
    Executors executors;
    executors.run = [&](const RunOptions&) { return std::make_unique<FakeExecutor>(ours, &seen); };
    executors.peer = [&](const MpiProgram& peer, std::chrono::milliseconds) {
      const bool far = is_odd(peer.environment.empty() ? "as built" : "huge pages");
      theirs = core_to_core(far ? 250 : 55);
      return npb_output("CG", 'S', peer.tasks, far ? "60.00" : "3.00", "0");
    };
    executors.conditions = [&] { return std::make_unique<FakeMeter>(theirs); };
    Console console;
    console.out = [&](std::string_view text) { out += text; };
    console.err = [&](std::string_view text) { err += text; };
    const std::vector<CommandRow> rows = commands(executors);
    return program(arguments, {.commands = rows, .formats = formats()}, console);
  }
};

}  // namespace

TEST_CASE("peers: ours and the peer take turns, A B B A, in every size") {
  const Bin bin({"cg.A.x", "cg.B.x"});
  std::vector<std::string> order;
  Session session = session_with([&](const std::string& program, int tasks, std::chrono::milliseconds timeout) {
    order.push_back("peer " + std::string(1, named(program).second) + std::to_string(tasks));
    return three_seconds(program, tasks, timeout);
  });
  session.behaviour = [&](const RunSpec& spec) {
    order.push_back(spec.transport + " " + spec.problem.problem_class + std::to_string(spec.np));
    return good_run(spec.transport, 1);
  };
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "A,B", "--np", "2", "--runs", "2", "--warmup",
                 "1"}) == 0);
  const std::string once = "auto A2, peer A2, peer A2, ";
  const std::string back = "peer A2, peer A2, auto A2, ";
  CHECK(joined(order) ==
        once + once + back + "auto B2, peer B2, peer B2, auto B2, peer B2, peer B2, peer B2, peer B2, auto B2");
}

TEST_CASE("peers: each variant stands beside the peer, in a row of its own") {
  const Bin bin({"cg.S.x"});
  Session session = session_with(three_seconds);
  std::vector<std::string> order;
  session.behaviour = [&](const RunSpec& spec) {
    order.push_back(spec.problem.variant);
    return good_run(spec.transport, spec.problem.variant == "merged" ? 1.0 : 2.0);
  };
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--np", "2", "--runs", "2", "--warmup", "0",
                 "--variant", "classic,merged", "--export-json", bin.file("out.json")}) == 0);
  CHECK(joined(order) == "classic, merged, merged, classic");
  CHECK_THAT(session.out, Contains("CG           1.50x\n") && Contains("CG merged    3.00x\n") && !Contains("mean") &&
                              !Contains("geometric"));
  CHECK(session.peers_seen.size() == 4);  // two ways, twice: not once for each variant
  CHECK(session({"compare", bin.file("out.json"), "--format", "csv"}) == 0);
  CHECK_THAT(session.out, Contains(",variant,") && Contains(",merged,"));
}

TEST_CASE("peers: a farm stands in a row over the daemons alone, and that is said") {
  const Bin bin({"ep.S.x"});
  Session session = session_with(three_seconds);
  session.behaviour = [](const RunSpec& spec) {
    return good_run(spec.transport, spec.problem.variant == "farm" ? 1.0 : 2.0);
  };
  CHECK(session({"peers", "ep", "--bin", bin.path(), "--class", "S", "--np", "2", "--runs", "1", "--warmup", "0",
                 "--variant", "tuned,farm"}) == 0);
  CHECK_THAT(session.out, Contains("EP       auto         1.50x\n") && Contains("EP farm  daemon       3.00x\n") &&
                              !Contains("EP farm  auto") && !Contains("EP       daemon"));
  CHECK_THAT(session.err, Contains("not over auto; it is measured once, as daemon"));
  CHECK(session.err_lines() == 1);
}

TEST_CASE("peers: a variant that the kernel has not is refused, and so is one that no message system can run") {
  const Bin bin({"cg.S.x", "ep.S.x"});
  Session session = session_with(three_seconds);
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--variant", "merge"}) == 2);
  CHECK_THAT(session.err, Contains("--variant merge: kernel cg has classic, merged, paper"));
  CHECK(session({"peers", "ep", "--bin", bin.path(), "--class", "S", "--variant", "farm", "--transport", "mpi"}) ==
        2);
  CHECK_THAT(session.err, Contains("spawns its tasks"));
  CHECK(session.peers_seen.empty());
}

TEST_CASE("peers: each peer is run as it was built, with huge pages, and alone as a serial program if there is one") {
  const Bin bin({"cg.S.x"});
  const Bin serial({"cg.S.x"});
  Session session = session_with([&](const std::string& program, int tasks, std::chrono::milliseconds) {
    MpiProgramResult result = npb_output("CG", 'S', tasks, program.starts_with(serial.path()) ? "2.00" : "3.00", "0");
    if (program.starts_with(serial.path())) {
      std::erase_if(result.output, [](const std::string& line) { return line.find("processes") != line.npos; });
    }
    return result;
  });
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--serial", serial.path(), "--class", "S", "--np", "1,2",
                 "--runs", "1", "--warmup", "0", "--export-json", bin.file("out.json")}) == 0);
  const std::string program = bin.path() + "cg.S.x ";
  const std::string huge_pages = " GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
  CHECK(session.peers_seen == std::vector<std::string>{program + "1", program + "1" + huge_pages,
                                                       serial.path() + "cg.S.x 1", program + "2",
                                                       program + "2" + huge_pages});
  CHECK_THAT(session.out, Contains("\nCG        2.00x    3.00x\n") && Contains("serial") && Contains("as built"));
  const Document document = read_document(bin.file("out.json"));
  CHECK(document.records<PeerRecord>()[1].way == PeerWay::huge_pages);
  CHECK(document.records<PeerRecord>()[2].way == PeerWay::serial);
}

TEST_CASE("peers: the faster way stands for the peer") {
  const Bin bin({"cg.S.x"});
  int runs = 0;
  Session session = session_with([&](const std::string&, int tasks, std::chrono::milliseconds) {
    return npb_output("CG", 'S', tasks, ++runs == 2 ? "2.00" : "3.00", "0");  // the second one has huge pages
  });
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--np", "2", "--runs", "1", "--warmup", "0"}) ==
        0);
  CHECK_THAT(session.out, Contains("\nCG        2.00x\n") && Contains("huge pages"));
}

TEST_CASE("peers: the first table has the ratios, the second the times") {
  const Bin bin({"cg.A.x", "ft.A.x"});
  Session session = session_with(three_seconds);
  session.behaviour = [](const RunSpec& spec) {
    return good_run(spec.transport, spec.kernel->name == "cg" ? 1.5 : 0.375 / spec.np);
  };
  CHECK(session({"peers", "cg", "ft", "--bin", bin.path(), "--np", "1,2"}) == 0);
  CHECK_THAT(session.out, Contains("Kernel  A, np=1  A, np=2\n"));
  CHECK_THAT(session.out, Contains("\nCG        2.00x    2.00x\n"));
  CHECK_THAT(session.out, Contains("\nFT        8.00x    16.0x\n"));
  CHECK_THAT(session.out, Contains("\nmean      4.00x    5.66x\n") && Contains("ours is faster. Mean: geometric.\n"));
  CHECK_THAT(session.out, Contains("version 3.4, flags -O3 -march=native"));
  CHECK_THAT(session.out, Contains("both"));
  CHECK_THAT(session.out, Contains("Medians of 5 runs"));
}

TEST_CASE("peers: the document has ours among the runs and theirs apart, and can be printed again") {
  const Bin bin({"is.S.x"});
  Session session = session_with(three_seconds);
  CHECK(session({"peers", "is", "--bin", bin.path(), "--class", "s", "--np", "2", "--runs", "3", "--export-json",
                 bin.file("out.json")}) == 0);
  const Document document = read_document(bin.file("out.json"));
  CHECK(document.records<RunRecord>().size() == 3);
  REQUIRE(document.records<PeerRecord>().size() == 6);
  CHECK(document.records<PeerRecord>()[5].kernel == "is");
  CHECK(document.records<PeerRecord>()[5].np == 2);
  CHECK(document.records<PeerRecord>()[5].repeat == 2);
  CHECK(document.records<PeerRecord>()[5].time_s == 3);
  CHECK(document.records<PeerRecord>()[5].verified);
  CHECK(from_json(to_json(document), "again") == document);
  Session printed;
  CHECK(printed({"compare", bin.file("out.json")}) == 0);
  CHECK(printed.out == session.out);
  for (const std::string_view format : test::format_names_of("peers")) {
    CHECK(printed({"compare", bin.file("out.json"), "--format", std::string(format)}) == 0);
  }
}

TEST_CASE("peers: a refused number of tasks is a row without a figure and status 3, and the rest goes on") {
  const Bin bin({"cg.S.x"});
  Session session = session_with([](const std::string& program, int tasks, std::chrono::milliseconds timeout) {
    if (tasks != 3) return three_seconds(program, tasks, timeout);
    MpiProgramResult refused;
    refused.ending = "exited with status 16";
    refused.output = {"", " ERROR: Number of processes (3) is not a power of two", ""};
    return refused;
  });
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--np", "3,4", "--runs", "2"}) == 3);
  CHECK(session.seen.size() == 6);        // ours runs on without a peer
  CHECK(session.peers_seen.size() == 7);  // once with 3 tasks
  CHECK_THAT(session.out, Contains("exited with status 16: ERROR: Number of processes (3) is not a power of two"));
  CHECK_THAT(session.out, Contains("yes, peer none"));
  CHECK_THAT(session.out, Contains("\nCG            -    3.00x\n"));
  CHECK(session.err_lines() == 1);
}

TEST_CASE("peers: an unverified peer has no ratio, and the status is 1") {
  const Bin bin({"mg.S.x"});
  Session session = session_with([](const std::string&, int tasks, std::chrono::milliseconds) {
    return npb_output("MG", 'S', tasks, "7.77", "0", "UNSUCCESSFUL");
  });
  CHECK(session({"peers", "mg", "--bin", bin.path(), "--class", "S", "--np", "1"}) == 1);
  CHECK_THAT(session.out, Contains("peer FAILED") && !Contains("7.77"));
  CHECK_THAT(session.err, Contains("has not verified its result"));
}

TEST_CASE("peers: an unverified run of ours has no ratio, and the status is 1") {
  const Bin bin({"mg.S.x"});
  Session session = session_with(three_seconds);
  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 7.77);
    run.verified = false;
    return run;
  };
  CHECK(session({"peers", "mg", "--bin", bin.path(), "--class", "S", "--np", "1"}) == 1);
  CHECK_THAT(session.out, Contains("FAILED, peer yes") && !Contains("7.77"));
}

TEST_CASE("peers: a program of something else is no peer") {
  const Bin bin({"mg.S.x"});
  Session session = session_with([](const std::string&, int tasks, std::chrono::milliseconds) {
    return npb_output("MG", 'A', tasks, "1.00", "0");
  });
  CHECK(session({"peers", "mg", "--bin", bin.path(), "--class", "S", "--np", "2"}) == 3);
  CHECK_THAT(session.err, Contains("has run mg class A on 2 processes"));
}

TEST_CASE("peers: one whose clock saw no time is not infinitely fast") {
  const Bin bin({"cg.S.x", "mg.S.x"});
  for (const std::string speed : {"0.00", "NaN", "Infinity"}) {
    CAPTURE(speed);
    Session session = session_with([&](const std::string& program, int tasks, std::chrono::milliseconds timeout) {
      if (named(program).first == "CG") return three_seconds(program, tasks, timeout);
      return npb_output("MG", 'S', tasks, "0.00", speed);
    });
    CHECK(session({"peers", "cg", "mg", "--bin", bin.path(), "--class", "S", "--np", "1"}) == 3);
    CHECK_THAT(session.err, Contains("has printed a time of 0 s, too short for its clock"));
    CHECK_THAT(session.out, Contains("yes, peer none") && !Contains("0.00x"));
    CHECK_THAT(session.out, Contains("\nCG        3.00x\n") && Contains("\nmean          -\n"));
  }
}

TEST_CASE("peers: one that takes too long is noted, and not tried again") {
  const Bin bin({"mg.S.x"});
  Session session = session_with([](const std::string&, int, std::chrono::milliseconds timeout) {
    CHECK(timeout == std::chrono::milliseconds(2500));
    MpiProgramResult result;
    result.overdue = true;
    return result;
  });
  CHECK(session({"peers", "mg", "--bin", bin.path(), "--class", "S", "--np", "1", "--timeout", "2.5"}) == 3);
  CHECK(session.peers_seen.size() == 1);
  CHECK_THAT(session.err, Contains("has not finished within 2.5 s (--timeout)"));
}

TEST_CASE("peers: samples under other conditions, ours or theirs, are taken again, and left out of the figures") {
  const Bin bin({"cg.S.x"});
  for (const std::string side : {"ours", "as built", "huge pages"}) {
    CAPTURE(side);
    OddSession session{side};
    CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--np", "2", "--runs", "3", "--warmup", "0",
                   "--export-json", bin.file("out.json")}) == 0);
    REQUIRE(session.runs.size() == 10);
    CHECK(session.runs.back() == side);
    const Document document = read_document(bin.file("out.json"));
    CHECK(document.records<RunRecord>().size() + document.records<PeerRecord>().size() == 10);
    for (const RunRecord& run : document.records<RunRecord>()) {
      CAPTURE(run.repeat);
      CHECK(run.sampled.changed == (side == "ours" && run.repeat == 1));
    }
    for (const PeerRecord& peer : document.records<PeerRecord>()) {
      CAPTURE(to_text(peer.way), peer.repeat);
      CHECK(peer.sampled.changed == (side == to_text(peer.way) && peer.repeat == 1));
    }
    CHECK_THAT(session.out, Contains("1.000   0.0 %  3.000   0.0 %"));  // times and their spreads
    CHECK_THAT(session.out,
               Contains("Conditions: core to core 55 ns, memory 12.0 GB/s, stolen 0.0 % of a core, load by others "
                        "0.0; 1 of 10 samples were under others and count only where there are no more."));
    CHECK(session.err.empty());
  }
}

TEST_CASE("peers: programs that are missing are named before anything runs") {
  const Bin bin({"cg.A.x"});
  Session session = session_with(three_seconds);
  CHECK(session({"peers", "cg", "ft", "--bin", bin.path(), "--class", "A,B"}) == 2);
  CHECK_THAT(session.err, Contains("ft.A.x, cg.B.x, ft.B.x"));
  CHECK(session({"peers", "cg", "--bin", "/nowhere"}) == 2);
  CHECK_THAT(session.err, Contains("--bin /nowhere: no such folder"));
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--serial", "/nowhere"}) == 2);
  CHECK_THAT(session.err, Contains("--serial /nowhere: no such folder"));
  CHECK(session({"peers", "cg"}) == 2);
  CHECK_THAT(session.err, Contains("--bin"));
  CHECK(session.err_lines() == 4);
  CHECK(session.seen.empty());
}

TEST_CASE("peers: several of our transports stand beside the peer") {
  const Bin bin({"cg.S.x"});
  Session session = session_with(three_seconds);
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--np", "2", "--transport", "daemon,direct"}) ==
        0);
  CHECK_THAT(session.out, Contains("\nCG      daemon       1.50x\n") && Contains("\nCG      direct       3.00x\n"));
}

TEST_CASE("peers: their programs run over our transports, too, where that is asked for") {
  const Bin bin({"cg.S.x"});
  Session session = session_with(three_seconds);
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--np", "2", "--runs", "1", "--warmup", "0",
                 "--transport", "shm,direct", "--over", "shm", "--export-json", bin.file("out.json")}) == 0);
  const std::string program = bin.path() + "cg.S.x 2";
  CHECK(joined(session.peers_seen) ==
        program + ", " + program + " GLIBC_TUNABLES=glibc.malloc.hugetlb=1, " + program + " over shm");
  CHECK_THAT(session.out, Contains("over our transports"));
  const Document document = read_document(bin.file("out.json"));
  CHECK(document.records<PeerRecord>().back().way == PeerWay::over_ours);
  CHECK(document.records<PeerRecord>().back().transport == "shm");
  CHECK(session({"peers", "cg", "--bin", bin.path(), "--class", "S", "--over", "daemon"}) == 2);
}
