/// \file
/// What the program says, word for word: the transcripts beside this file, replayed. After a change of the output
/// that is meant, NASVM_UPDATE_GOLDEN=1 in the environment makes this test rewrite them; the change is then there to
/// read.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/document/document.hpp"
#include "transcript.hpp"

using namespace nasvm::test;
using namespace nasvm::test::golden;

namespace {

const std::filesystem::path source = NASVM_SOURCE_FOLDER;
const std::filesystem::path here = source / "tests/harness/golden";
const std::filesystem::path results = source / "results";

bool is_updating() { return std::getenv("NASVM_UPDATE_GOLDEN") != nullptr; }

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder, const std::string& ending) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ending) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// Rewrites the file, or complains of the first line that is another one now.
void expect(const std::filesystem::path& file, const std::string& now) {
  const std::string before = content(file.string());
  if (now == before) return;
  if (is_updating()) {
    std::ofstream(file) << now;
    return;
  }
  const std::vector<std::string> was = lines_of(before);
  const std::vector<std::string> is = lines_of(now);
  const auto [w, i] = std::ranges::mismatch(was, is);
  const auto text = [](const auto& one, const auto& end) { return one == end ? "(the end)" : *one; };
  FAIL_CHECK(file.filename().string() << ":" << w - was.begin() + 1 << "\nwas: " << text(w, was.end()) << "\nis:  "
                                      << text(i, is.end()) << "\n(NASVM_UPDATE_GOLDEN=1 rewrites the file)");
}

/// FNV-1a, which is the same everywhere.
std::uint64_t checksum(const std::string& text) {
  std::uint64_t sum = 0xcbf29ce484222325U;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return sum;
}

/// "p2p/a.json csv 0 0123456789abcdef": document, format, exit status, checksum of what is printed.
std::string rendering_line(const std::filesystem::path& file, const std::string& format) {
  const Answer answer = run_program({"compare", file.string(), "--format", format}, Mood::good, {});
  const std::string name = file.lexically_relative(results).string();
  std::string text = answer.out;
  for (auto at = text.find(file.string()); at != std::string::npos; at = text.find(file.string())) {
    text.replace(at, file.string().size(), name);
  }
  std::ostringstream line;
  line << name << ' ' << format << ' ' << answer.status << ' ' << std::hex << checksum(with_short_numbers(text));
  return line.str();
}

}  // namespace

TEST_CASE("golden: every command says what it has always said") {
  const std::filesystem::path file = GENERATE(from_range(files_in(here, ".txt")));
  const std::string before = content(file.string());
  expect(file, Transcript().replay(before));
}

TEST_CASE("golden: every document in results/ is printed as ever, in every format that fits it") {
  const std::filesystem::path file = here / "results.sums";
  const std::vector<std::string> known = lines_of(content(file.string()));
  std::string now;
  for (const std::filesystem::path& document : files_in(results, ".json")) {
    for (const char* format : {"table", "json", "csv", "markdown", "npb", "osu", "table6"}) {
      const std::string line = rendering_line(document, format);
      now += line + "\n";
      // Documents that are newer than the sums have none.
      const std::string begin = line.substr(0, line.find(' ') + 1);
      const bool is_new = std::ranges::none_of(known, [&](const auto& one) { return one.starts_with(begin); });
      if (is_updating() || is_new) continue;
      if (std::ranges::find(known, line) == known.end()) FAIL_CHECK("results.sums has no line: " << line);
    }
  }
  if (is_updating()) expect(file, now);
}

TEST_CASE("golden: a document in results/ is the same after writing and reading it") {
  for (const std::filesystem::path& file : files_in(results, ".json")) {
    CAPTURE(file);
    const nasvm::Document document = nasvm::read_document(file.string());
    CHECK(nasvm::from_json(nasvm::to_json(document), "written") == document);
  }
}
