#pragma once
/// \file
/// The hosts of an emulated testbed, as commands see them that reproduce a paper; made by scripts/lab (docs/lab.md).

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vm/launch/external_program.hpp"

namespace nasvm {

class Lab {
 public:
  virtual ~Lab() = default;

  /// The hosts, one slot each.
  [[nodiscard]] virtual std::string hostfile() const = 0;
  /// Has the first host carry out `nasvm` with those words. Blocks up to `timeout`. Throws RunError, Interrupted.
  virtual ProgramResult run(const std::vector<std::string>& words, std::chrono::milliseconds timeout) = 0;
  /// Has hosts exchange messages over plain sockets: `plan` is the text that nasvm-lab-exchange reads
  /// (lab/exchange.hpp), whose rank 0 prints the seconds it took. Blocks and throws as `run`.
  virtual ProgramResult exchange(const std::string& plan, std::chrono::milliseconds timeout) = 0;
  /// Gives the processes of a host, counted from 1, that share of one processor, or all that there is: 0. Blocks.
  /// Throws RunError where that cannot be, Interrupted.
  virtual void slow(int host, double share) = 0;
  /// Takes the hosts down with everything on them. Blocks; an interruption changes nothing. Throws RunError when they
  /// stay.
  virtual void down() = 0;
};

/// What a program said last, without the name under which it says it, and behind it what a daemon of its own has said
/// just before; empty where it has said nothing.
std::string complaint_of(const ProgramResult& result);
/// The same; else how it ended.
std::string last_words(const ProgramResult& result);

/// Who shares a network's rate: all hosts together, or each host has it for itself, both ways.
enum class Medium : std::uint8_t { shared, switched };

struct LabOptions {
  std::string script;  ///< scripts/lab
  std::string folder;  ///< for the hostfile
  std::string name;    ///< of the testbed: "ethernet"
  int hosts = 0;
  int rate_mbit_s = 0;  ///< 10^6 bit/s
  Medium medium = Medium::switched;
};

/// Makes the hosts. Blocks. Throws UsageError where there can be none.
using LabFactory = std::function<std::unique_ptr<Lab>(const LabOptions& options)>;

/// The one that scripts/lab makes. SIGINT and the like must be held (SignalHold) as long as it lives, or it stays.
std::unique_ptr<Lab> make_script_lab(const LabOptions& options);

/// scripts/lab in a folder beside this program or above it. Throws UsageError when it is in none.
std::string find_lab_script();

}  // namespace nasvm
