#include "vm/protocol/form.hpp"
#include "vm/protocol/protocol.hpp"

namespace nasvm::protocol {

std::string to_text(const Message& message) { return form::text_of_message(message); }

std::string to_text(const Bootstrap& bootstrap) { return form::text_of(form::written(bootstrap)); }

Message parse(std::span<const std::byte> text) { return form::message_of_text<Message>(text); }

Bootstrap parse_bootstrap(std::string_view line, std::string_view version) {
  try {
    const form::Json json = form::Json::parse(line, nullptr, false);
    std::string theirs = "of an older build";
    if (json.is_object() && json.contains("version")) form::read(json["version"], theirs, "version");
    if (json.is_object() && json.contains("console") && theirs != version) {
      throw UsageError("this is nasvmd " + std::string(version) + ", but the console is nasvm " + theirs +
                       ": all hosts need the same build (--copy brings the console's)");
    }
    Bootstrap bootstrap;
    form::read(json, bootstrap, std::string(Bootstrap::type));
    if (bootstrap.hosts.empty()) form::complain("bootstrap.hosts", "no host");
    return bootstrap;
  } catch (const RunError&) {
    throw UsageError("nasvmd is started by nasvm run, which tells it on standard input where the console is");
  }
}

}  // namespace nasvm::protocol
