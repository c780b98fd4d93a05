#include "vm/protocol/form_tables.hpp"
#include "vm/protocol/protocol.hpp"

namespace nasvm::protocol {

std::string documentation() {
  std::string page;
  form::append_section<Bootstrap>(page);
  form::append_messages<Message>(page);
  return page;
}

}  // namespace nasvm::protocol
