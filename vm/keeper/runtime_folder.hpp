#pragma once
/// \file
/// Where a kept machine can be found by programs of its user: a folder that nobody else can read, with
///
///     lock    held (flock) as long as the keeper lives; the keeper's process id, and whose numbers that is one of
///     secret  that clients prove, 64 hexadecimal digits, mode 0600
///     socket  where the keeper listens
///     log     what the keeper and its daemons have to say
///     ended   why the keeper has ended by itself; usually not there
///
/// Its files are read only where they are plain files of this user that are closed to others; what is said of others
/// is a RunError. Nothing here blocks for longer than a disk does, but for what says so.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vm/auth.hpp"
#include "vm/net/fd.hpp"

namespace nasvm::keeper {

inline constexpr std::string_view usual_name = "default";

/// Throws UsageError unless it is 1 to 64 letters, digits, '.', '_' or '-', of which the first is no '.' or '-'.
void check_name(std::string_view name);

/// The folder of all of the user's machines: $XDG_RUNTIME_DIR/nasvm where that is a folder of his, else
/// /tmp/nasvm-UID.
std::string runtime_base();

/// The machines that have a folder, in the order of their names.
std::vector<std::string> names_of_machines();

/// What a lock says of who holds it: his process id; or nothing, for which there is room on a full disk, too.
enum class Holder : std::uint8_t { named, unnamed };

class RuntimeFolder {
 public:
  /// Of the machine of that name; nothing is made or looked at yet. Throws UsageError (check_name).
  explicit RuntimeFolder(std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string path(std::string_view file) const { return path_ + "/" + std::string(file); }
  [[nodiscard]] std::string log() const { return path("log"); }

  /// Is it there? Throws UsageError when it is not the user's own and closed to others: somebody else may have made
  /// it.
  [[nodiscard]] bool exists() const;
  /// Makes it and the one above it, where they are not there. Throws UsageError as `exists`, RunError.
  void make() const;

  /// Holds the machine's name until the descriptor is closed, or the process ends; none when another process does.
  /// The folder is made anew where somebody has removed it meanwhile; none then for who stays unnamed, as he has come
  /// to remove it. Throws RunError.
  [[nodiscard]] net::Fd lock(Holder holder = Holder::named) const;
  /// The same, but waits a moment (200 ms): who looks whether a name is held holds it, too.
  [[nodiscard]] net::Fd lock_soon(Holder holder = Holder::named) const;
  /// Is the descriptor that `lock` has returned still that of the name? Not when somebody has removed the file, or
  /// the folder: then the name may be another's.
  [[nodiscard]] bool is_held(int lock) const;
  /// The process that holds it, 0 when it has not said which, or has a number of another container or computer; none
  /// when nobody does, or the folder is not there.
  [[nodiscard]] std::optional<pid_t> holder() const;

  void write_secret(const Secret& secret) const;
  /// Throws RunError; while the machine starts or ends there is none.
  [[nodiscard]] Secret read_secret() const;
  /// A listening socket, non-blocking. Throws RunError.
  [[nodiscard]] net::Fd listen() const;
  /// A connected one, non-blocking; none when nobody listens.
  [[nodiscard]] net::Fd connect() const;

  /// Why the last keeper has ended by itself; empty: it has not, or is not known to.
  [[nodiscard]] std::string end_reason() const;
  void write_end_reason(const std::string& reason) const;

  /// Makes all of it look used: what has lain in /tmp for days is removed on many systems.
  void keep_fresh() const;
  /// What a keeper leaves behind that may not be there when the next one begins: all but the lock and the log.
  void clear() const;
  /// The folder with all in it; the one above when it is empty, too. Held by the caller (`lock`).
  void remove() const;
  /// Takes the name for a moment, as `lock_soon` does, and removes all. False: somebody else has it.
  [[nodiscard]] bool clear_away() const;

 private:
  std::string name_;
  std::string path_;
};

}  // namespace nasvm::keeper
