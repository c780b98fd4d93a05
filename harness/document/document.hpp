#pragma once
/// \file
/// The result document, schema "nasvm-result/1" (docs/results.md): every table is a view of it. What was
/// measured, where and with what; the records themselves are lists of the types that the commands define
/// (records.hpp). All samples are kept. Units: seconds, bytes, 10^6 operations per second.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/document/records.hpp"

namespace nasvm {

/// One host of the virtual machine.
struct HostRecord {
  std::string name;
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string kernel;  ///< operating system and its release

  // Empty or 0 where nobody told; older documents have none of it.
  std::string huge_pages{};     ///< transparent ones: "always", "madvise", "never"
  std::string governor{};       ///< of the clock frequency: "performance"
  std::string hypervisor{};     ///< "KVM"; "none"
  std::uint64_t l1d_bytes = 0;  ///< data caches of the first core
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;
  std::string copying{};  ///< what shm does with long messages of tasks with a core each, and why

  bool operator==(const HostRecord&) const = default;
};

struct MachineRecord {
  std::vector<HostRecord> hosts;
  std::string no_conditions{};  ///< why samples have none (harness/conditions); empty: they have, or nobody told

  bool operator==(const MachineRecord&) const = default;
};

/// How this program was built.
struct BuildRecord {
  std::string version;
  std::string commit;  ///< "unknown" outside a git checkout
  std::string compiler;
  std::string flags;
  std::string date;                              ///< of the configuration of the build, "20 Nov 2026"
  std::map<std::string, std::string> libraries;  ///< name to version, "none" where it is not built in
  std::string simd{};  ///< for which processors the kernels in use are compiled: "x86-64-v3" (simd_level())

  bool operator==(const BuildRecord&) const = default;
};

/// How much of what was to be measured is there.
struct PartRecord {
  std::uint64_t done = 0;  ///< runs, with those that warm up
  std::uint64_t planned = 0;

  bool operator==(const PartRecord&) const = default;
};

void describe(Fields& fields, HostRecord& host);
void describe(Fields& fields, MachineRecord& machine);
void describe(Fields& fields, BuildRecord& build);
void describe(Fields& fields, PartRecord& part);

class Document {
 public:
  std::string created;  ///< UTC, "2026-11-20T12:00:00Z"
  std::vector<std::string> command;
  MachineRecord machine;
  BuildRecord build;
  bool whole_launches = false;              ///< each record was made by a launch of its own
  std::optional<PartRecord> interrupted{};  ///< before all was measured; none: all is there

  Document() = default;
  Document(const Document& other);
  Document(Document&&) noexcept = default;
  Document& operator=(const Document& other);
  Document& operator=(Document&&) noexcept = default;
  ~Document() = default;

  /// All records of that type; empty as long as nobody has added one.
  template <typename Record>
  [[nodiscard]] const std::vector<Record>& records() const& {
    static const std::vector<Record> none;
    const RecordList* list = find(Record::section);
    return list == nullptr ? none : static_cast<const Records<Record>&>(*list).all;
  }
  template <typename Record>
  [[nodiscard]] std::vector<Record>& records() & {
    if (find(Record::section) == nullptr) add(record_type<Record>.make());
    return static_cast<Records<Record>&>(*find(Record::section)).all;
  }
  /// Of a document that ends with the expression: the records themselves, no reference into it.
  template <typename Record>
  [[nodiscard]] std::vector<Record> records() && {
    return std::move(records<Record>());
  }

  /// The lists, in the order in which they were made.
  [[nodiscard]] const std::vector<std::unique_ptr<RecordList>>& lists() const { return lists_; }
  /// The list of that name, or nullptr.
  [[nodiscard]] RecordList* find(std::string_view section) const;
  void add(std::unique_ptr<RecordList> list) { lists_.push_back(std::move(list)); }
  /// Adds the records of another document behind its own.
  void append(const Document& other);

  /// Is there any record in that list?
  [[nodiscard]] bool has(std::string_view section) const;
  [[nodiscard]] bool has_results() const;
  /// Did everything verify, did all data arrive right?
  [[nodiscard]] bool all_right() const;

  /// Lists without records count as none.
  bool operator==(const Document& other) const;

 private:
  std::vector<std::unique_ptr<RecordList>> lists_;
};

/// A document and the file it comes from ("" when it has just been measured).
struct Source {
  std::string file;
  Document document;
};

/// How tables refer to the document of that position: A, B, ... Z, then 27, 28, ...
std::string source_label(std::size_t position);

inline constexpr std::string_view result_schema = "nasvm-result/1";

/// The present moment as `created` has it.
std::string utc_now();

/// The document as JSON text, one line for each innermost object, ending in a newline.
std::string to_json(const Document& document);
/// These two, and what `more` describes behind them.
std::string to_json(const BuildRecord& build, const MachineRecord& machine, const Describe& more);

/// Of nlohmann/json, "3.11.2".
std::string json_library_version();

/// The document of JSON text with its lists of these types, others are passed over; `name` names it in errors. Fields
/// that the document's reader can do without may be missing; what is there must have the right type. Throws
/// UsageError: "a.json: runs[3].np is not a whole number from 0 up".
Document from_json(std::string_view text, const std::string& name, std::span<const RecordType> types);

/// The document in a file. Throws UsageError: missing, unreadable, not JSON, not of this schema.
Document read_document(const std::string& path, std::span<const RecordType> types);

}  // namespace nasvm
