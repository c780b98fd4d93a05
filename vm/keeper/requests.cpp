#include "vm/keeper/requests.hpp"

#include "vm/protocol/form.hpp"
#include "vm/protocol/form_tables.hpp"

namespace nasvm::keeper {

namespace form = protocol::form;

std::string to_text(const Message& message) { return form::text_of_message(message); }
std::string to_text(const Order& order) { return form::text_of(form::written(order)); }

Message parse(std::span<const std::byte> text) { return form::message_of_text<Message>(text); }

Order parse_order(std::string_view line) {
  Order order;
  form::read(form::Json::parse(line, nullptr, false), order, std::string(Order::type));
  return order;
}

std::string documentation() {
  std::string page;
  form::append_section<Order>(page);
  form::append_messages<Message>(page);
  return page;
}

}  // namespace nasvm::keeper
