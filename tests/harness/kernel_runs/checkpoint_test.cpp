/// \file
/// Checkpoints in files: what their heads say, and runs over a real machine that go on from them.

#include <sys/stat.h>
#include <limits>

#include <catch2/catch.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "../fake_executor.hpp"
#include "harness/kernel_runs/checkpoint_head.hpp"
#include "support/deadline.hpp"
#include "support/process.hpp"
#include "vm/files/posix_disk.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

CheckpointHead head() {
  return {.kernel = "ft",
          .problem_class = 'A',
          .layout = "by z",
          .iteration = 3,
          .np = 5,
          .number_bytes = 96,
          .array_bytes = 10'000};
}

template <typename Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no complaint";
}

std::string complaint_about(const CheckpointHead& found, std::uint64_t bytes) {
  return complaint([&] { check_checkpoint(found, bytes, head(), "a.ckp"); });
}

std::vector<std::string> run_arguments(const std::string& kernel, const std::string& np,
                                       std::vector<std::string> more, const std::string& problem_class = "S") {
  std::vector<std::string> arguments{"run",         kernel, "--class",  problem_class, "--np",      np,
                                     "--transport", "auto", "--format", "json",        "--timeout", "120"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

RunRecord run_with(const std::string& kernel, const std::string& np, const std::vector<std::string>& more,
                   const std::string& problem_class = "S") {
  const ProcessResult result = run_process(built_program("nasvm"), run_arguments(kernel, np, more, problem_class));
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  const Document document = from_json(result.out, "standard output");
  REQUIRE(document.records<RunRecord>().size() == 1);
  return document.records<RunRecord>().front();
}

/// The one line of a run that ends with exit status 2.
std::string refusal(const std::string& kernel, const std::vector<std::string>& more) {
  const ProcessResult result = run_process(built_program("nasvm"), run_arguments(kernel, "2", more));
  INFO(result.err);
  CHECK(result.exit_status == 2);
  return result.err;
}

std::string folder_of(const Folder& folder) {
  return std::filesystem::path(folder.write("file", "")).parent_path().string();
}

}  // namespace

TEST_CASE("checkpoints: a head is read as it was written") {
  const CheckpointHead read = head_of(page_of(head()), "a.ckp");
  CHECK(read.kernel == "ft");
  CHECK(read.iteration == 3);
  CHECK(read.np == 5);
  CHECK(read.array_begin() == 2 * checkpoint_page_bytes);
  CHECK(read.file_bytes() == 2 * checkpoint_page_bytes + 10'000);
  CHECK(complaint_about(read, read.file_bytes()) == "no complaint");
}

TEST_CASE("checkpoints: files that a run cannot go on from are refused, each for its reason") {
  const std::uint64_t bytes = head().file_bytes();
  CheckpointHead other = head();
  other.kernel = "is";
  CHECK_THAT(complaint_about(other, bytes), Catch::Contains("is of is class A, not of ft class A"));
  other = head();
  other.problem_class = 'B';
  CHECK_THAT(complaint_about(other, bytes), Catch::Contains("is of ft class B, not of ft class A"));
  other = head();
  other.layout = "by y";
  CHECK_THAT(complaint_about(other, bytes), Catch::Contains("a variant has written it that keeps \"by y\""));
  other = head();
  other.array_bytes += 1;
  CHECK_THAT(complaint_about(other, bytes + 1), Catch::Contains("cannot be"));
  for (const int never : {0, head().iteration + 1, std::numeric_limits<int>::max()}) {
    other = head();
    other.iteration = never;  // the run that wants it has one after its third iteration at the latest
    CHECK_THAT(complaint_about(other, bytes), Catch::Contains("cannot be"));
  }
  CHECK_THAT(complaint_about(head(), bytes - 1), Catch::Contains("cut short"));
  CHECK_THAT(complaint_about(head(), bytes + 1), Catch::Contains("something was added"));

  std::vector<std::byte> page = page_of(head());
  std::string text(reinterpret_cast<const char*>(page.data()), page.size());
  text.replace(text.find("checkpoint/1"), 12, "checkpoint/7");
  CHECK_THAT(complaint([&] { (void)head_of(std::as_bytes(std::span(text)), "a.ckp"); }),
             Catch::Contains("version nasvm-checkpoint/7"));
  text = std::string(reinterpret_cast<const char*>(page.data()), page.size());
  text.replace(text.find("iteration"), 9, "repetition");
  CHECK(complaint([&] { (void)head_of(std::as_bytes(std::span(text)), "a.ckp"); }) ==
        "--restart a.ckp: iteration is missing");
  page.resize(20);
  CHECK_THAT(complaint([&] { (void)head_of(page, "a.ckp"); }), Catch::Contains("no checkpoint"));
  CHECK_THAT(complaint([&] { (void)head_of({}, "a.ckp"); }), Catch::Contains("no checkpoint"));
}

TEST_CASE("checkpoints: runs go on from a file with another number of tasks, and from what they have written") {
  const Folder folder;
  const std::string disk = folder_of(folder);
  for (const std::string kernel : {"is", "ft", "mg"}) {
    CAPTURE(kernel);
    const std::string file = disk + "/" + kernel + ".ckp";
    const RunRecord first = run_with(kernel, "3", {"--checkpoint", file});
    CHECK(first.verified);
    CHECK(first.first_iteration == 1);
    const RunRecord second = run_with(kernel, "5", {"--restart", file});
    CHECK(second.verified);
    // One after each iteration but the last.
    CHECK(second.first_iteration == find_kernel(kernel)->iterations({}));
    const std::string other = disk + "/" + kernel + "-2.ckp";
    run_with(kernel, "2", {"--checkpoint", other, "--every", "2", "--variant", "paper"});
    const RunRecord third = run_with(kernel, "4", {"--restart", other, "--checkpoint", other, "--variant", "paper"});
    CHECK(third.verified);
    CHECK(third.first_iteration % 2 == 1);
    CHECK_FALSE(std::filesystem::exists(file + ".new"));
  }
}

TEST_CASE("checkpoints: a run that is killed leaves a whole one, from which another goes on") {
  const Folder folder;
  const std::string file = folder_of(folder) + "/ft.ckp";
  const auto arguments = run_arguments("ft", "3", {"--checkpoint", file}, "W");
  for (int round = 0; round < 3; ++round) {
    const pid_t run = start_process_quietly(built_program("nasvm"), arguments);
    // In the midst of writing the next one, most often.
    REQUIRE(eventually([&] {
      return std::filesystem::exists(file) && (std::filesystem::exists(file + ".new") || !is_running(run));
    }));
    const std::vector<pid_t> others = descendants(run);
    ::kill(run, SIGKILL);
    REQUIRE(eventually([&] { return std::ranges::none_of(others, is_running) && !is_running(run); }));
    const RunRecord rest = run_with("ft", "2", {"--restart", file}, "W");
    CHECK(rest.verified);
    CHECK(rest.first_iteration > 1);
  }
}

TEST_CASE("checkpoints: of two runs that write the same one the second is told, and what the first has stays") {
  const Folder folder;
  const std::string file = folder.file("is.ckp");
  const std::string beside = folder.write("is.ckp.new", "the first one's");
  // As a run has it that is writing.
  const auto first = files::make_posix_disk()->open(beside, {.access = files::Access::read_write});
  first->lock(files::Access::write);
  const ProcessResult second = run_process(built_program("nasvm"), run_arguments("is", "2", {"--checkpoint", file}));
  CHECK(second.exit_status == 3);
  CHECK_THAT(second.err, Catch::Contains(file + ": another run is writing this checkpoint"));
  CHECK(std::filesystem::file_size(beside) == first->size());
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("checkpoints: what has been left beside is replaced, and not written over") {
  const Folder folder;
  const std::string file = folder.file("is.ckp");
  const std::string kept = folder.write("kept", "somebody's");
  if (GENERATE(false, true)) std::filesystem::create_hard_link(kept, file + ".new");
  else std::filesystem::create_symlink(kept, file + ".new");
  run_with("is", "2", {"--checkpoint", file});
  CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
  CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(file + ".new")));
  CHECK(std::filesystem::file_size(kept) == std::string("somebody's").size());
}

TEST_CASE("checkpoints: nothing but a file is replaced by one") {
  const Folder folder;
  const std::string pipe = folder_of(folder) + "/pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(refusal("is", {"--checkpoint", pipe}), Catch::Contains("no ordinary file"));
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("checkpoints: a link stays, and what it leads to is the checkpoint") {
  namespace fs = std::filesystem;
  const Folder folder;
  const fs::path home = folder_of(folder);
  fs::create_directory(home / "large");
  const std::string link = (home / "is.ckp").string();
  fs::create_symlink("large/is.ckp", link);
  for (int run = 0; run < 2; ++run) {  // the file is not there yet, and is
    run_with("is", "2", {"--checkpoint", link});
    CHECK(fs::is_symlink(link));
    CHECK(fs::is_regular_file(fs::symlink_status(home / "large/is.ckp")));
  }
  CHECK_FALSE(fs::exists(link + ".new"));
  CHECK(run_with("is", "3", {"--restart", link}).verified);
  const std::string output = (home / "output").string();
  fs::create_symlink("/proc/self/fd/1", output);
  CHECK_THAT(refusal("is", {"--checkpoint", output}), Catch::Contains("no ordinary file"));
  CHECK(fs::is_symlink(output));
}

TEST_CASE("checkpoints: a run that ends without one says so") {
  const Folder folder;
  Session session;
  const std::vector<std::string> words{"run",         "ft",     "--class",      "S",
                                       "--np",        "2",      "--checkpoint", folder.file("ft.ckp"),
                                       "--transport", "direct", "--every",      "100"};
  CHECK(session(words) == 0);
  CHECK(session.err ==
        "nasvm: ft class S, 2 tasks, direct: no checkpoint was written: --every 100 of 6 iterations, and there is "
        "none after the last\n");
  session.err.clear();
  session.behaviour = [](const RunSpec& spec) {  // as after a restart
    RunRecord run = good_run(spec.transport, 1.0);
    run.first_iteration = 6;
    return run;
  };
  CHECK(session(words) == 0);
  CHECK_THAT(session.err, Catch::Contains("--every 100 of 1 iteration, and there is none after the last\n"));
  session.err.clear();
  session.behaviour = [](const RunSpec& spec) {
    RunRecord run = good_run(spec.transport, 1.0);
    run.details.emplace_back(checkpoints_written, "100 MB/s");
    return run;
  };
  CHECK(session(words) == 0);
  CHECK(session.err.empty());
}

TEST_CASE("checkpoints: what cannot be is said in one line") {
  const Folder folder;
  const std::string disk = folder_of(folder);
  const std::string file = disk + "/is.ckp";
  run_with("is", "2", {"--checkpoint", file, "--every", "4"});
  REQUIRE(::mkfifo((disk + "/pipe").c_str(), 0600) == 0);
  std::filesystem::create_symlink("is.ckp", disk + "/link");
  const auto one_line = [](const std::string& text) { return std::ranges::count(text, '\n') == 1; };
  for (const auto& [kernel, more, words] :
       std::vector<std::tuple<std::string, std::vector<std::string>, std::string>>{
           {"mg", {"--restart", file}, "is of is class S, not of mg class S"},
           {"is", {"--restart", disk + "/none"}, "No such file"},
           {"is", {"--restart", disk + "/file"}, "no checkpoint"},
           {"is", {"--restart", disk}, "Is a directory"},
           {"is", {"--restart", disk + "/pipe"}, "no ordinary file"},
           {"is", {"--every", "2"}, "--checkpoint names the file"},
           {"is", {"--disk-rate"}, "--checkpoint names the file"},
           {"cg", {"--checkpoint", file}, "makes no checkpoints; mg, ft, is do"},
           {"all", {"--checkpoint", file}, "one kernel and one class"},
           {"is", {"--checkpoint", file, "--restart", file, "--runs", "2"}, "--runs 1"},
           {"is", {"--checkpoint", disk + "/link", "--restart", file, "--runs", "2"}, "--runs 1"},
           {"is", {"--checkpoint", file, "--every", "0"}, "--every"}}) {
    const std::string text = refusal(kernel, more);
    CHECK_THAT(text, Catch::Contains(words));
    CHECK(one_line(text));
  }
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  CHECK_THAT(refusal("is", {"--restart", file}), Catch::Contains("cut short"));
  const ProcessResult result =
      run_process(built_program("nasvm"), run_arguments("is", "2", {"--checkpoint", "/no/such/folder/is.ckp"}));
  CHECK(result.exit_status == 3);
  CHECK_THAT(result.err, Catch::Contains("/no/such/folder/is.ckp.new") && Catch::Contains("No such file"));
}
