#include "harness/kernel_runs/checkpoint_head.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "vm/status.hpp"

namespace nasvm {
namespace {

constexpr std::string_view family = "nasvm-checkpoint/";
constexpr std::string_view schema = "nasvm-checkpoint/1";

void describe_schema(Fields& fields, std::string& name) { fields.text("schema", name); }

void describe(Fields& fields, CheckpointHead& head) {
  std::string name(schema);
  describe_schema(fields, name);
  fields.text("kernel", head.kernel);
  fields.letter("class", head.problem_class);
  fields.text("layout", head.layout);
  fields.integer("iteration", head.iteration);
  fields.integer("np", head.np);
  fields.count("number_bytes", head.number_bytes);
  fields.count("array_bytes", head.array_bytes);
}

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw UsageError(fmt::format("--restart {}: {}", path, what));
}

std::string schema_of(std::string_view text, const std::string& path) {
  std::string name;
  try {
    from_json(text, path, [&name](Fields& fields) { describe_schema(fields, name); });
  } catch (const UsageError&) {
    refuse(path, "this is no checkpoint of nasvm run");
  }
  return name;
}

}  // namespace

std::vector<std::byte> page_of(const CheckpointHead& head) {
  const std::string text = to_text([&head](Fields& fields) { describe(fields, const_cast<CheckpointHead&>(head)); });
  std::vector<std::byte> page(checkpoint_page_bytes, std::byte{' '});
  std::ranges::copy(std::as_bytes(std::span(text)), page.begin());
  page.back() = std::byte{'\n'};
  return page;
}

CheckpointHead head_of(std::span<const std::byte> page, const std::string& path) {
  const std::string_view text(reinterpret_cast<const char*>(page.data()), page.size());
  const std::string name = schema_of(text, path);
  if (name.rfind(family, 0) != 0) refuse(path, "this is no checkpoint of nasvm run");
  if (name != schema) refuse(path, fmt::format("is of version {}; this program has {}", name, schema));
  CheckpointHead head;
  from_json(text, "--restart " + path, [&head](Fields& fields) { describe(fields, head); });
  return head;
}

void check_checkpoint(const CheckpointHead& found, std::uint64_t file_bytes, const CheckpointHead& wanted,
                      const std::string& path) {
  if (found.kernel != wanted.kernel || found.problem_class != wanted.problem_class) {
    refuse(path, fmt::format("is of {} class {}, not of {} class {}", found.kernel, found.problem_class,
                             wanted.kernel, wanted.problem_class));
  }
  if (found.layout != wanted.layout) {
    refuse(path, fmt::format("a variant has written it that keeps \"{}\"; this one keeps \"{}\"", found.layout,
                             wanted.layout));
  }
  if (found.number_bytes != wanted.number_bytes || found.array_bytes != wanted.array_bytes || found.iteration < 1 ||
      found.iteration > wanted.iteration) {
    refuse(path, "what it says of its contents cannot be");
  }
  if (file_bytes != found.file_bytes()) {
    refuse(path, fmt::format("has {} bytes of {}: it was cut short, or something was added", file_bytes,
                             found.file_bytes()));
  }
}

}  // namespace nasvm
