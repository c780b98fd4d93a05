#pragma once
/// \file
/// Transcripts: what somebody typed, and what the program said. A transcript is a text file; its lines that begin
/// with
/// "$ " are commands, and what stands below each up to the next is its output. Adding a test is adding a command.
///
///     $ nasvm run ft --np 2            standard output; lines of standard error begin with "2> "; then the exit
///     status,
///                                      where it is not 0
///     $ mood=slower nasvm run ft       in a world of another mood (world.hpp)
///     $ terminal=yes nasvm run ft      standard error is a terminal; out=broken: standard output takes nothing
///     $ nasvm run ft --quiet >/dev/null    only errors and exit status
///     $ cat @/a.csv                    the file; "@" is a folder of the transcript's own
///     $ write @/a.json {"schema": 1}   makes a file of the rest of the line
///
/// The folder has peers' programs for classes S and A in @/bin, a hostfile @/hosts, and builds of other moods:
/// @/good,
/// @/slower, @/unverified, @/broken.

#include <sys/stat.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mask.hpp"
#include "world.hpp"

namespace nasvm::test::golden {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Control characters made visible.
inline std::string visible(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\r' ? "\\r" : c == '\033' ? "\\e" : std::string(1, c);
  return result;
}

class Transcript {
 public:
  Transcript() {
    std::filesystem::create_directory(at("@/bin"));
    for (const Kernel& kernel : kernels()) {
      for (const std::string letter : {"S", "A"}) {
        const std::string program = folder_.write("bin/" + std::string(kernel.name) + "." + letter + ".x", "");
        if (::chmod(program.c_str(), 0755) != 0) throw std::runtime_error("cannot make " + program + " executable");
      }
    }
    for (const char* mood : {"good", "slower", "unverified", "broken"}) (void)write_build(folder_, mood);
    (void)folder_.write("hosts", "near slots=2\nfar slots=2\n");
  }

  /// The transcript `text` with the output that its commands have now.
  std::string replay(const std::string& text) {
    std::string result;
    bool any = false;
    for (const std::string& line : lines_of(text)) {
      const bool command = line.starts_with("$ ");
      if (command) result += (any ? "\n" : "") + line + "\n" + perform(line.substr(2));
      else if (!any) result += line + "\n";
      any = any || command;
    }
    return result;
  }

 private:
  std::string at(std::string text) const {
    for (std::size_t found = text.find("@/"); found != std::string::npos; found = text.find("@/", found)) {
      text.replace(found, 2, folder_.file(""));
    }
    return text;
  }

  std::string shown(const std::string& text, const std::string& prefix) const {
    std::string plain = visible(text);
    const std::string folder = folder_.file("");
    for (std::size_t found = plain.find(folder); found != std::string::npos; found = plain.find(folder)) {
      plain.replace(found, folder.size(), "@/");
    }
    std::string result;
    for (const std::string& line : lines_of(plain)) {
      if (line.find("not available: ") != std::string::npos && line.starts_with("  ")) continue;
      result += prefix + with_short_numbers(masked_line(line)) + "\n";
    }
    if (!text.empty() && text.back() != '\n') result += "(without a line end)\n";
    return result;
  }

  std::string perform(const std::string& command) {
    std::istringstream words(command);
    std::vector<std::string> arguments;
    Mood mood = Mood::good;
    Streams streams;
    bool quiet = false;
    std::string word;
    while (words >> word && word.find('=') != std::string::npos) {
      if (word == "terminal=yes") streams.terminal = true;
      else if (word == "out=broken") streams.out_is_broken = true;
      else if (word.starts_with("mood=")) mood = mood_named(word.substr(5));
      else throw std::invalid_argument("transcript: " + word);
    }
    const std::string verb = word;
    while (verb != "write" && words >> word) {
      if (word == ">/dev/null") quiet = true;
      else arguments.push_back(word == "''" ? "" : at(word));
    }
    if (verb == "cat") return shown(content(arguments.at(0)), "");
    if (verb == "write") return write(words);
    if (verb != "nasvm") throw std::invalid_argument("transcript: " + command);
    const Answer answer = run_program(arguments, mood, streams);
    std::string text = quiet ? "" : shown(answer.out, "");
    text += shown(answer.err, "2> ");
    if (answer.status != 0) text += "exit status " + std::to_string(answer.status) + "\n";
    return text;
  }

  std::string write(std::istringstream& words) {
    std::string name;
    std::string text;
    words >> name >> std::ws;
    std::getline(words, text);
    (void)folder_.write(name.substr(2), text + "\n");
    return "";
  }

  Folder folder_;
};

}  // namespace nasvm::test::golden
