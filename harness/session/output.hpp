#pragma once
/// \file
/// Where text goes: standard output, standard error, files. Every failure to write is noticed and said.

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
};

/// The process's own standard output and standard error.
Console process_console();

/// A file that is written again and again, each time whole. Owns its descriptor.
class OutputFile {
 public:
  /// Opens (or creates) the file; its old content stays until the first rewrite. Throws UsageError.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  /// Makes `text` the whole content. Room is reserved first, so that a full disk leaves the content as it was.
  /// Throws RunError.
  void rewrite(std::string_view text);

  /// False for pipes and devices: what is written there cannot be taken back, so it is written once, at the end.
  [[nodiscard]] bool is_rewritable() const { return rewritable_; }

 private:
  void reserve(std::size_t bytes);

  std::string path_;
  int descriptor_ = -1;
  bool rewritable_ = false;
};

}  // namespace nasvm
