#include "harness/document/document.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "harness/document/read_text.hpp"

namespace nasvm {

void describe(Fields& fields, HostRecord& host) {
  fields.text("name", host.name, Need::optional);
  fields.text("cpu", host.cpu, Need::optional);
  fields.integer("cores", host.cores, Need::optional);
  fields.count("memory_bytes", host.memory_bytes, Need::optional);
  fields.text("kernel", host.kernel, Need::optional);
  fields.text_if_known("huge_pages", host.huge_pages);
  fields.text_if_known("governor", host.governor);
  fields.text_if_known("hypervisor", host.hypervisor);
  fields.count_if_known("l1d_bytes", host.l1d_bytes);
  fields.count_if_known("l2_bytes", host.l2_bytes);
  fields.count_if_known("l3_bytes", host.l3_bytes);
  fields.text_if_known("copying", host.copying);
}

void describe(Fields& fields, MachineRecord& machine) {
  fields.list("hosts", machine.hosts);
  fields.text_if_known("no_conditions", machine.no_conditions);
}

void describe(Fields& fields, BuildRecord& build) {
  fields.text("version", build.version, Need::optional);
  fields.text("commit", build.commit, Need::optional);
  fields.text("compiler", build.compiler, Need::optional);
  fields.text("flags", build.flags, Need::optional);
  fields.text("date", build.date, Need::optional);
  fields.text("simd", build.simd, Need::optional);
  fields.named_texts("libraries", build.libraries);
}

void describe(Fields& fields, PartRecord& part) {
  fields.count("done", part.done, Need::optional);
  fields.count("planned", part.planned, Need::optional);
}

Document::Document(const Document& other)
    : created(other.created),
      command(other.command),
      machine(other.machine),
      build(other.build),
      whole_launches(other.whole_launches),
      interrupted(other.interrupted) {
  for (const auto& list : other.lists_) lists_.push_back(list->copy());
}

Document& Document::operator=(const Document& other) { return *this = Document(other); }

RecordList* Document::find(std::string_view section) const {
  const auto found = std::ranges::find_if(lists_, [&](const auto& list) { return list->section() == section; });
  return found == lists_.end() ? nullptr : found->get();
}

void Document::append(const Document& other) {
  for (const auto& list : other.lists_) {
    RecordList* own = find(list->section());
    if (own == nullptr) add(list->copy());
    else own->append(*list);
  }
}

bool Document::has(std::string_view section) const {
  const RecordList* list = find(section);
  return list != nullptr && list->size() > 0;
}

bool Document::has_results() const {
  return std::ranges::any_of(lists_,
                             [](const auto& list) { return list->role() == Role::result && list->size() > 0; });
}

bool Document::all_right() const {
  return std::ranges::all_of(lists_, [](const auto& list) { return list->all_right(); });
}

bool Document::operator==(const Document& other) const {
  const auto holds = [](const Document& a, const Document& b) {
    return std::ranges::all_of(a.lists_, [&](const auto& list) {
      const RecordList* same = b.find(list->section());
      return same == nullptr ? list->size() == 0 : list->equals(*same);
    });
  };
  return created == other.created && command == other.command && machine == other.machine && build == other.build &&
         whole_launches == other.whole_launches && interrupted == other.interrupted && holds(*this, other) &&
         holds(other, *this);
}

std::string source_label(std::size_t position) {
  return position < 26 ? std::string(1, static_cast<char>('A' + position)) : std::to_string(position + 1);
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

Document read_document(const std::string& path, std::span<const RecordType> types) {
  return from_json(read_text(path), path, types);
}

}  // namespace nasvm
