#include "harness/cli/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "harness/text.hpp"
#include "vm/status.hpp"
#include "vm/system/runner.hpp"

namespace nasvm {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool has_class(const Kernel& kernel, char letter) { return kernel.classes.find(letter) != std::string_view::npos; }

}  // namespace

std::string message_system_names() {
  std::vector<std::string> names;
  for (const SystemRow& row : message_systems()) {
    names.push_back(std::string(row.name) + (lack_for(row).empty() ? "" : " (not available: nasvm info)"));
  }
  return joined(names);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

void check_one_of(std::string_view option, std::string_view value, std::span<const std::string_view> known) {
  if (std::ranges::find(known, value) != known.end()) return;
  throw UsageError(fmt::format("{} {}: not known{}; known are {}", option, value, hint(value, known), joined(known)));
}

std::string working_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error);
  if (error == std::errc::no_such_file_or_directory) {
    throw UsageError("the working folder does not exist any more: go to another one");
  }
  if (error) throw UsageError(fmt::format("the working folder: {}: go to another one", error.message()));
  return folder.string();
}

std::string whole_path(const std::string& path) {
  return path.starts_with('/') ? path : (std::filesystem::path(working_folder()) / path).string();
}

void check_different(const std::vector<std::string>& exports) {
  std::set<std::string> seen;
  for (const std::string& path : exports) {
    if (path.empty()) continue;
    std::error_code error;
    const std::string file = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    if (!seen.insert(error ? path : file).second) {
      throw UsageError(fmt::format("two exports to the one file {}: give each its own name", path));
    }
  }
}

void fail_for_repeats(std::string_view option, std::string_view list, std::string_view aim) {
  throw UsageError(fmt::format("{} {}: one is given twice; for {} there is --runs", option, list, aim));
}

std::string kernel_names() { return joined(names_of(kernels())); }

std::string class_names() {
  std::string letters;
  for (const Kernel& kernel : kernels()) {
    for (const char letter : kernel.classes) {
      if (letters.find(letter) == std::string::npos) letters += letter;
    }
  }
  return joined(letters);
}

int parse_count(std::string_view option, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = end == text.data() + text.size() && !text.empty();
  if (error != std::errc() || !complete || value < least || value > most) {
    throw UsageError(fmt::format("{} {}: expected a whole number from {} to {}", option, text, least, most));
  }
  return value;
}

double parse_real(std::string_view option, const std::string& text, double least, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = end == text.data() + text.size() && !text.empty();
  if (error != std::errc() || !complete || !std::isfinite(value) || value <= least || value > most) {
    throw UsageError(fmt::format("{} {}: expected a number above {} and up to {}", option, text, least, most));
  }
  return value;
}

std::vector<const Kernel*> parse_kernels(const std::vector<std::string>& names) {
  std::vector<const Kernel*> chosen;
  const auto add = [&](const Kernel* kernel) {
    if (std::find(chosen.begin(), chosen.end(), kernel) == chosen.end()) chosen.push_back(kernel);
  };
  for (const std::string& list : names) {
    for (const std::string& name : split(list, ',')) {
      if (name == "all") {
        for (const Kernel& kernel : kernels()) add(&kernel);
      } else if (const Kernel* kernel = find_kernel(name)) {
        add(kernel);
      } else {
        throw UsageError(fmt::format("kernel '{}' is not known{}; known are {} and all", name,
                                     hint(name, names_of(kernels())), kernel_names()));
      }
    }
  }
  return chosen;
}

char parse_class(const std::string& text, const std::vector<const Kernel*>& chosen) {
  const char letter = text.size() == 1 ? upper(text[0]) : '?';
  for (const Kernel* kernel : chosen) {
    if (has_class(*kernel, letter)) continue;
    throw UsageError(
        fmt::format("--class {}: kernel {} has the classes {}", text, kernel->name, joined(kernel->classes)));
  }
  return letter;
}

std::vector<std::string> parse_transports(const std::string& list) {
  std::vector<std::string> orders = split(list, ',');
  for (const std::string& order : orders) (void)system_of(order);  // checks it
  refuse_repeats("--transport", list, orders, "more runs of each");
  return orders;
}

void add_parsed(CommandLine& line, const OptionText& text, std::string usual,
                std::function<void(const std::string& text)> take) {
  const auto typed = std::make_shared<std::string>(std::move(usual));
  line.option(text, *typed);
  line.afterwards([typed, take = std::move(take)] { take(*typed); });
}

void add_count(CommandLine& line, const OptionText& text, int& value, int least, int most) {
  add_parsed(line, text, std::to_string(value), [&value, name = text.first_name(), least, most](const auto& typed) {
    value = parse_count(name, typed, least, most);
  });
}

void add_real(CommandLine& line, const OptionText& text, std::string usual, double& value, double least,
              double most) {
  add_parsed(line, text, std::move(usual), [&value, name = text.first_name(), least, most](const auto& typed) {
    value = parse_real(name, typed, least, most);
  });
}

void add_choice(CommandLine& line, const OptionText& text, std::string& value, std::vector<std::string_view> known) {
  line.option(text, value);
  line.afterwards([&value, name = text.first_name(), known = std::move(known)] { check_one_of(name, value, known); });
}

}  // namespace nasvm
