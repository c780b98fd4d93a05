#pragma once
/// \file
/// What the system says in files that it makes while they are read (proc(5)). Processes end meanwhile: a file that
/// was opened can answer ESRCH when it is read, which streams' iterators throw (libstdc++, basic_filebuf::underflow).

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nasvm {

/// All of a file's text; empty where it is not there, cannot be read or goes away meanwhile. Does not throw for
/// these.
[[nodiscard]] std::string proc_text(const std::filesystem::path& path);

/// The first value of `key` in text of the form "key : value" per line (/proc/cpuinfo), or "".
[[nodiscard]] std::string proc_value(std::string_view text, std::string_view key);

/// What the processor is called, by the text of /proc/cpuinfo: its model's name, or else its vendor, family and
/// model. Not every processor has these there: arm64 has none, and is called by its architecture ("aarch64").
[[nodiscard]] std::string processor_name(std::string_view cpuinfo, std::string_view architecture);

/// A figure of /proc/meminfo in bytes, or 0.
[[nodiscard]] std::uint64_t meminfo_bytes(std::string_view text, std::string_view key);

/// The numbers of all processes that this one may see; some may be gone already. `root` is the folder that has /proc.
[[nodiscard]] std::vector<pid_t> all_processes(const std::filesystem::path& root = "/");

/// The folder of a process under /proc.
[[nodiscard]] std::filesystem::path proc_folder(pid_t process);

/// The same for all hosts that are one computer, and for no others (random(4)).
[[nodiscard]] std::string boot_id();

/// The same for all processes of a computer that have one set of process numbers (pid_namespaces(7)).
[[nodiscard]] std::string process_namespace();

/// What the system says of a process (proc(5), "stat"). None: there is no such process.
struct ProcessStatus {
  char state = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
};
[[nodiscard]] std::optional<ProcessStatus> process_status(pid_t process);

}  // namespace nasvm
