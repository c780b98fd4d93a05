#pragma once
/// \file
/// A task's transports: those that its orders name, since packets may come by any of them, and the one that carries
/// packed messages, whatever the orders say. No other is made: each takes descriptors, shm gives up protection,
/// direct listens.

#include <memory>
#include <span>
#include <vector>

#include "vm/routes/orders.hpp"
#include "vm/transport/table.hpp"
#include "vm/transport/transport.hpp"

namespace nasvm {

class TransportSet {
 public:
  /// `context` is everybody's but for the parameters, which are those of the orders. Throws RunError when a transport
  /// that no program can do without cannot be made.
  void make(TransportContext context, const Orders& orders);

  [[nodiscard]] std::span<const std::unique_ptr<Transport>> all() const { return transports_; }
  /// None when it has not been made.
  [[nodiscard]] Transport* find(const TransportRow& row) const;
  /// One that has been made.
  [[nodiscard]] Transport& of(const TransportRow& row) const { return *find(row); }
  /// How others reach this task, by name of transport.
  [[nodiscard]] DescriptorTable descriptors() const;

 private:
  std::vector<std::unique_ptr<Transport>> transports_;  ///< in the table's order
};

}  // namespace nasvm
