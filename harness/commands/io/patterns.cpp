#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "harness/commands/io/pattern.hpp"
#include "harness/text.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

/// The vertices (integers of 4 bytes) of each element of a grid of hexahedra, z fastest, then x, then y. Columns of
/// elements are dealt out to tasks one by one. Source: D'Azevedo and Romine, EDONIO: Extended Distributed Object
/// Network I/O Library, appendix.
class Elements final : public IoPattern {
 public:
  explicit Elements(const IoShape& shape) : shape_(shape) {}

  [[nodiscard]] std::uint64_t file_bytes() const override {
    return static_cast<std::uint64_t>(shape_.grid) * shape_.grid * shape_.grid * sizeof(Element);
  }
  void for_each_written(const Visit& visit) override {
    const int grid = shape_.grid;
    std::vector<Element> column(static_cast<std::size_t>(grid));
    for (int y = 0; y < grid; ++y) {
      for (int x = 0; x < grid; ++x) {
        if ((x + 1 + y * grid) % shape_.tasks != shape_.rank) continue;
        fill(column, x, y);
        visit((static_cast<std::uint64_t>(y) * grid + x) * grid * sizeof(Element), std::as_bytes(std::span(column)));
      }
    }
  }

 private:
  using Vertex = std::uint32_t;
  using Element = std::array<Vertex, 8>;

  void fill(std::vector<Element>& column, int x, int y) const {
    static constexpr std::array<Vertex, 8> dx{0, 1, 1, 0, 0, 1, 1, 0};
    static constexpr std::array<Vertex, 8> dy{0, 0, 1, 1, 0, 0, 1, 1};
    static constexpr std::array<Vertex, 8> dz{0, 0, 0, 0, 1, 1, 1, 1};
    const auto points = static_cast<Vertex>(shape_.grid + 1);
    const auto row = static_cast<Vertex>(x);
    const auto layer = static_cast<Vertex>(y);
    for (Vertex z = 0; z + 1 < points; ++z) {
      for (std::size_t i = 0; i < dx.size(); ++i) {
        column[z][i] = z + dz[i] + (row + dx[i]) * points + (layer + dy[i]) * points * points;
      }
    }
  }

  IoShape shape_;
};

/// What stands at each place of a file: bytes that repeat with a period that no block has, so that none is taken for
/// another one.
class Content {
 public:
  explicit Content(std::size_t longest) : bytes_(period + longest) {
    std::mt19937 random(12345);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = i < period ? static_cast<std::byte>(random() >> 24) : bytes_[i - period];
    }
  }
  [[nodiscard]] std::span<const std::byte> at(std::uint64_t position, std::size_t bytes) const {
    return std::span(bytes_).subspan(static_cast<std::size_t>(position % period), bytes);
  }

 private:
  static constexpr std::size_t period = 1'000'003;
  std::vector<std::byte> bytes_;
};

/// Accesses of one length, as IOR has them: the file is as many blocks as there are tasks.
class Transfers : public IoPattern {
 public:
  explicit Transfers(const IoShape& shape) : shape_(shape), content_(shape.access_bytes) {}
  [[nodiscard]] std::uint64_t file_bytes() const override { return shape_.block_bytes * tasks(); }

 protected:
  [[nodiscard]] std::uint64_t tasks() const { return static_cast<std::uint64_t>(shape_.tasks); }
  [[nodiscard]] std::uint64_t rank() const { return static_cast<std::uint64_t>(shape_.rank); }
  /// Of each task.
  [[nodiscard]] std::uint64_t count() const { return shape_.block_bytes / shape_.access_bytes; }
  void visit_transfer(std::uint64_t number, const Visit& visit) const {
    const std::uint64_t position = number * shape_.access_bytes;
    visit(position, content_.at(position, shape_.access_bytes));
  }

 private:
  IoShape shape_;
  Content content_;
};

/// Tasks take turns: access number i of the file is task i mod n's.
class Strided final : public Transfers {
 public:
  using Transfers::Transfers;
  void for_each_written(const Visit& visit) override {
    for (std::uint64_t i = 0; i < count(); ++i) visit_transfer(i * tasks() + rank(), visit);
  }
};

/// Each task has a block of its own, from its beginning to its end.
class Segmented : public Transfers {
 public:
  using Transfers::Transfers;
  void for_each_written(const Visit& visit) override {
    for (std::uint64_t i = 0; i < count(); ++i) visit_transfer(rank() * count() + i, visit);
  }
};

/// Written in blocks; everything is read by all tasks.
class Readers final : public Segmented {
 public:
  using Segmented::Segmented;
  void for_each_read(const Visit& visit) override {
    for (std::uint64_t i = 0; i < count() * tasks(); ++i) visit_transfer(i, visit);
  }
};

/// All accesses of the file, shuffled and dealt out.
class Random final : public Transfers {
 public:
  explicit Random(const IoShape& shape) : Transfers(shape) {
    std::vector<std::uint64_t> all(count() * tasks());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    std::mt19937_64 random(271828183);
    std::ranges::shuffle(all, random);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank() * count());
    own_.assign(first, first + static_cast<std::ptrdiff_t>(count()));
  }
  void for_each_written(const Visit& visit) override {
    for (const std::uint64_t number : own_) visit_transfer(number, visit);
  }

 private:
  std::vector<std::uint64_t> own_;
};

/// The part of 0 to `whole` that is number `part` of `parts`.
std::array<std::uint64_t, 2> part_of(std::uint64_t whole, int parts, int part) {
  const auto bound = [&](int at) {
    return whole * static_cast<std::uint64_t>(at) / static_cast<std::uint64_t>(parts);
  };
  return {bound(part), bound(part + 1)};
}

/// A cube of numbers of 8 bytes, x fastest, of which each task has a block: what programs save.
class Array final : public IoPattern {
 public:
  explicit Array(const IoShape& shape)
      : edge_(static_cast<std::uint64_t>(shape.grid)), cuts_(cuts_for(shape.tasks)), content_(edge_ * value_bytes) {
    x_ = part_of(edge_, cuts_.x, shape.rank % cuts_.x);
    y_ = part_of(edge_, cuts_.y, shape.rank / cuts_.x % cuts_.y);
    z_ = part_of(edge_, cuts_.z, shape.rank / cuts_.x / cuts_.y);
  }
  [[nodiscard]] std::uint64_t file_bytes() const override { return edge_ * edge_ * edge_ * value_bytes; }
  void for_each_written(const Visit& visit) override {
    if (x_[0] == x_[1]) return;
    for (std::uint64_t z = z_[0]; z < z_[1]; ++z) {
      for (std::uint64_t y = y_[0]; y < y_[1]; ++y) {
        const std::uint64_t position = ((z * edge_ + y) * edge_ + x_[0]) * value_bytes;
        visit(position, content_.at(position, static_cast<std::size_t>((x_[1] - x_[0]) * value_bytes)));
      }
    }
  }

 private:
  static constexpr std::size_t value_bytes = 8;

  std::uint64_t edge_;
  Cuts cuts_;
  Content content_;
  std::array<std::uint64_t, 2> x_{};
  std::array<std::uint64_t, 2> y_{};
  std::array<std::uint64_t, 2> z_{};
};

template <typename Pattern>
std::unique_ptr<IoPattern> make(const IoShape& shape) {
  return std::make_unique<Pattern>(shape);
}

}  // namespace

std::span<const IoPatternRow> io_patterns() {
  static constexpr std::array rows{
      IoPatternRow{"elements", "the paper's: vertices of the elements of a grid", true, make<Elements>},
      IoPatternRow{"strided", "tasks take turns", false, make<Strided>},
      IoPatternRow{"segmented", "each task a block, in order", false, make<Segmented>},
      IoPatternRow{"random", "shuffled accesses", false, make<Random>},
      IoPatternRow{"array", "a cube of numbers, each task a block of it", true, make<Array>},
      IoPatternRow{"readers", "written in blocks, all of it read by all", false, make<Readers>},
  };
  return rows;
}

const IoPatternRow& io_pattern(std::string_view name) {
  const auto found = std::ranges::find(io_patterns(), name, &IoPatternRow::name);
  if (found == io_patterns().end()) throw UsageError(fmt::format("there is no pattern \"{}\" in this program", name));
  return *found;
}

Cuts cuts_for(int tasks) {
  Cuts best{1, 1, tasks};
  for (int x = 1; x * x * x <= tasks; ++x) {
    for (int y = x; x * y * y <= tasks; ++y) {
      if (tasks % (x * y) == 0 && tasks / (x * y) <= best.z) best = {x, y, tasks / (x * y)};
    }
  }
  return best;
}

}  // namespace nasvm
