#pragma once
/// \file
/// Where text goes: standard output, standard error, files. Every failure to write is noticed and said.

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace nasvm {

/// Takes text to its destination.
using Sink = std::function<void(std::string_view)>;

/// The program's two streams.
struct Console {
  Sink out;  ///< results; throws RunError when they cannot be written
  Sink err;  ///< progress and messages; failures are ignored, as nobody could be told
  bool err_is_terminal = false;
  std::size_t out_columns = 0;  ///< width of the terminal that `out` goes to; 0: to none
  std::size_t err_columns = 0;  ///< the same of `err`
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

/// The process's own standard output and standard error.
Console process_console();

/// A file that is written again and again, each time whole: the text goes into a temporary file beside it, which then
/// takes its name, so that readers find the old text or the new one, also after a crash. Permissions, owner and
/// symbolic links stay. The file itself is written where a new one could not take its place: other names for it
/// (hard links), access lists, no permission to make files in the folder. Standard output and standard error, by
/// whatever name, get it behind what is there.
class OutputFile {
 public:
  /// Opens (or creates) the file; its old content stays until the first rewrite. Throws UsageError.
  explicit OutputFile(std::string path);
  /// A file that was not there before and has not been written goes again; one that another took the place of stays.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  /// Makes `text` the whole content, on disk, also where the file was removed or another took its place since. After
  /// an error, such as a full disk, the content is as it was, and no temporary file stays. Blocks for the disk.
  /// Throws RunError.
  void rewrite(std::string_view text);

  /// False for pipes, devices and standard streams: what is written there cannot be taken back, so it is written
  /// once, at the end.
  [[nodiscard]] bool is_rewritable() const { return rewritable_; }

 private:
  /// False, with errno, where the system refuses; then all is as it was.
  bool open();
  [[nodiscard]] bool has_its_name() const;
  [[nodiscard]] bool may_be_replaced() const;
  /// False where no file can take the place of this one; nothing has changed then.
  bool replace(std::string_view text);
  void write_in_place(std::string_view text);
  void reserve(std::size_t bytes);

  std::string path_;    ///< as named
  std::string target_;  ///< what symbolic links lead to
  int descriptor_ = -1;
  bool rewritable_ = false;
  bool created_ = false;  ///< and not written yet
};

}  // namespace nasvm
