/// \file
/// What the program says, word for word: the transcripts beside this file, replayed. After a change of the output
/// that is meant, NASVM_UPDATE_GOLDEN=1 in the environment makes this test rewrite them; the change is then there to
/// read.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

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

using Json = nlohmann::json;

/// Older versions wrote it of fewer than 100 samples, too, of which it is null now.
constexpr std::array<std::string_view, 3> null_by_now{"latency_p99_us", "time_p99_s", "last_p99_s"};

/// What a member that is missing counts as.
bool says_nothing(const Json& value) {
  return value.is_null() || value == Json(false) || value == Json(0) || value == Json("") ||
         (value.is_structured() && value.empty());
}

/// Compilers may round the last digits of what is calculated from others in different ways.
bool is_same_scalar(const Json& was, const Json& now) {
  if (was == now) return true;
  if (!was.is_number_float() || !now.is_number()) return false;
  const double value = was.get<double>();
  return std::abs(value - now.get<double>()) <= 1e-12 * std::abs(value);
}

/// Adds the members of `was` that `now` has not, or not with that value: "runs[].comm.messages".
void find_lost(const Json& was, const Json& now, const std::string& place, std::set<std::string>& lost) {
  if (was.is_object()) {
    for (const auto& member : was.items()) {
      const std::string inner = place.empty() ? member.key() : place + "." + member.key();
      if (says_nothing(member.value())) continue;
      if (!now.contains(member.key())) {
        lost.insert(inner);
        continue;
      }
      const Json& own = now.at(member.key());
      const bool is_null_by_now = own.is_null() && std::ranges::find(null_by_now, member.key()) != null_by_now.end();
      if (!is_null_by_now) find_lost(member.value(), own, inner, lost);
    }
  } else if (was.is_array() && now.is_array() && was.size() == now.size()) {
    for (std::size_t i = 0; i < was.size(); ++i) find_lost(was[i], now[i], place + "[]", lost);
  } else if (!is_same_scalar(was, now)) {
    lost.insert(place);
  }
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
      if (is_updating() || std::ranges::find(known, line) != known.end()) continue;
      FAIL_CHECK("results.sums has no line: " << line
                                              << "\n(NASVM_UPDATE_GOLDEN=1 rewrites it, also for new documents)");
    }
  }
  if (is_updating()) expect(file, now);
}

TEST_CASE("golden: a document in results/ is the same after writing and reading it") {
  for (const std::filesystem::path& file : files_in(results, ".json")) {
    CAPTURE(file);
    const nasvm::Document document = nasvm::read_document(file.string());
    const std::string written = nasvm::to_json(document);
    CHECK(nasvm::from_json(written, "written") == document);
    std::set<std::string> lost;
    find_lost(Json::parse(content(file.string())), Json::parse(written), "", lost);
    for (const std::string& member : lost) FAIL_CHECK("is lost, or has another value: " << member);
  }
}
