#include "vm/multicast/lineartree/lineartree.hpp"

#include "vm/multicast/lineartree/columns.hpp"
#include "vm/multicast/window/receiving_end.hpp"
#include "vm/multicast/window/sending_end.hpp"

namespace nasvm::multicast {
namespace {

Columns columns_of(const Group& group) {
  return {group.receivers, static_cast<int>(value_of(group.parameters, "height", 6))};
}

Coalescing lineartree_coalescing(const Group& group) {
  return coalescing_of(group, static_cast<double>(columns_of(group).count()));
}

/// A receiver in its column: it speaks for itself and for all behind it.
class InColumn final : public Upstream {
 public:
  explicit InColumn(const Group& group) : self_(group.self), columns_(columns_of(group)), has_(size_of(group), 0) {}

  [[nodiscard]] Node to() const override { return columns_.predecessor(self_); }
  [[nodiscard]] std::uint32_t acknowledgeable(std::uint32_t own) const override {
    const Node behind = columns_.successor(self_);
    return behind == sender_node ? own : earlier_of(own, has_[static_cast<std::size_t>(behind)]);
  }
  /// Kept of whoever stands behind, not of the next one alone: that one may be lost and this not yet known here.
  void acknowledged(Node from, std::uint32_t sequence) override {
    if (from <= self_ || static_cast<std::size_t>(from) >= has_.size() || !columns_.same_column(from, self_)) return;
    std::uint32_t& has = has_[static_cast<std::size_t>(from)];
    has = later_of(has, sequence);
  }
  void lost(Node node) override { columns_.lose(node); }

 private:
  static std::size_t size_of(const Group& group) { return static_cast<std::size_t>(group.receivers) + 1; }

  Node self_;
  Columns columns_;
  std::vector<std::uint32_t> has_;  ///< by node: everything before it, and those behind it do as well
};

/// Whoever stood behind a lost head acknowledges in its place.
Node heir_of(Columns& columns, Node lost) {
  const bool was_head = columns.predecessor(lost) == sender_node;
  columns.lose(lost);
  return was_head ? columns.successor(lost) : sender_node;
}

}  // namespace

std::unique_ptr<Sender> make_lineartree_sender(const Group& group, Network& network) {
  SendingRules rules;
  rules.acknowledgers = columns_of(group).heads();
  rules.heir = [columns = columns_of(group)](Node lost) mutable { return heir_of(columns, lost); };
  return std::make_unique<SendingEnd>(group, lineartree_coalescing(group).settings, rules, network);
}

std::unique_ptr<Receiver> make_lineartree_receiver(const Group& group, Network& network, Inbox& inbox) {
  const auto [packets, settings] = lineartree_coalescing(group);
  return std::make_unique<ReceivingEnd>(group, settings, Turns{packets, packets - 1},
                                        std::make_unique<InColumn>(group), network, inbox);
}

}  // namespace nasvm::multicast
