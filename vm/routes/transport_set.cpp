#include "vm/routes/transport_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace nasvm {

void TransportSet::make(TransportContext context, const Orders& orders) {
  for (const TransportRow& row : transports()) {
    if (row.role != TransportRole::packed && !orders.name(row)) continue;
    context.parameters = orders.parameters_of(row);
    transports_.push_back(row.make(context));
  }
}

Transport* TransportSet::find(const TransportRow& row) const {
  const auto found =
      std::ranges::find(transports_, row.name, [](const auto& transport) { return transport->name(); });
  return found == transports_.end() ? nullptr : found->get();
}

DescriptorTable TransportSet::descriptors() const {
  DescriptorTable table;
  for (const auto& transport : transports_) {
    std::string descriptor = transport->descriptor();
    if (!descriptor.empty()) table.emplace(transport->name(), std::move(descriptor));
  }
  return table;
}

}  // namespace nasvm
