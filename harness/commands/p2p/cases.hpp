#pragma once
/// \file
/// Records of `nasvm p2p` sorted for tables: one case is one path at one size with all its repeats; cases of one size
/// form a group.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/report/cases.hpp"

namespace nasvm {

/// The repeats of one case, never none. Points into its document.
struct P2pCase {
  std::size_t source = 0;  ///< which document
  std::string transport;
  std::vector<const P2pRecord*> records;

  /// Data arrived wrong in one of the repeats: the case has no figures.
  [[nodiscard]] bool wrong() const;
  [[nodiscard]] std::string name() const;
  /// One figure of every repeat.
  [[nodiscard]] std::vector<double> all(double (*figure)(const P2pRecord&)) const;
  /// Its median; not a number when data arrived wrong.
  [[nodiscard]] double median_of(double (*figure)(const P2pRecord&)) const;
};

struct P2pGroup {
  std::uint64_t bytes = 0;
  std::vector<P2pCase> cases;

  /// The case of that document and path, or nullptr.
  [[nodiscard]] const P2pCase* find(std::size_t source, std::string_view transport) const;
};

/// A path as people should read it: "auto (direct)" where another name carried the messages.
std::string path_text(const std::string& transport, const std::string& method);

/// By size, smallest first; in each the paths in the order of their first occurrence, then by document.
std::vector<P2pGroup> group_p2p(std::span<const Source> sources);

/// All paths in the order of their first occurrence in a document.
std::vector<std::string> paths_of(const Document& document);

}  // namespace nasvm
