#pragma once
/// \file
/// The lists of records that a document holds, whatever their types. A record type says by which name the document
/// has its list and what role it plays:
///
///     struct RunRecord {
///       static constexpr std::string_view section = "runs";
///       static constexpr Role role = Role::result;
///       ...
///       bool operator==(const RunRecord&) const = default;
///     };
///     void describe(Fields& fields, RunRecord& run);
///     bool is_right(const RunRecord& run);
///
/// and its command has a row record_type<RunRecord> (harness/command.hpp), by which readers find it.

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/document/fields.hpp"

namespace nasvm {

/// What records are in their document: results of measuring, or what these are held against.
enum class Role { result, reference };

/// A list of records of one type.
class RecordList {
 public:
  virtual ~RecordList() = default;
  [[nodiscard]] virtual std::string_view section() const = 0;
  [[nodiscard]] virtual Role role() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Describes the record at that position, a new one behind the last.
  virtual void describe_at(std::size_t position, Fields& fields) = 0;
  /// Did every result verify, did all data arrive right?
  [[nodiscard]] virtual bool all_right() const = 0;
  [[nodiscard]] virtual bool equals(const RecordList& other) const = 0;
  [[nodiscard]] virtual std::unique_ptr<RecordList> copy() const = 0;
  /// Adds the records of a list of the same type.
  virtual void append(const RecordList& other) = 0;
};

template <typename Record>
class Records final : public RecordList {
 public:
  std::vector<Record> all;

  [[nodiscard]] std::string_view section() const override { return Record::section; }
  [[nodiscard]] Role role() const override { return Record::role; }
  [[nodiscard]] std::size_t size() const override { return all.size(); }
  void describe_at(std::size_t position, Fields& fields) override {
    if (position == all.size()) all.emplace_back();
    describe(fields, all[position]);
  }
  [[nodiscard]] bool all_right() const override {
    return std::ranges::all_of(all, [](const Record& record) { return is_right(record); });
  }
  [[nodiscard]] bool equals(const RecordList& other) const override {
    const auto* same = dynamic_cast<const Records*>(&other);
    return same != nullptr && same->all == all;
  }
  [[nodiscard]] std::unique_ptr<RecordList> copy() const override { return std::make_unique<Records>(*this); }
  void append(const RecordList& other) override {
    const std::vector<Record>& more = dynamic_cast<const Records&>(other).all;
    all.insert(all.end(), more.begin(), more.end());
  }
};

/// How a reader comes to a list of some type.
struct RecordType {
  std::string_view section;
  std::unique_ptr<RecordList> (*make)();
};

template <typename Record>
inline constexpr RecordType record_type{
    Record::section, [] { return std::unique_ptr<RecordList>(std::make_unique<Records<Record>>()); }};

}  // namespace nasvm
