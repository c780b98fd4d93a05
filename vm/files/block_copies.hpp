#pragma once
/// \file
/// The read-only data cache of one task: copies of blocks that others are responsible for, those that were used last.
/// A copy may still be on its way. Copies of a file that is written to are good until its tasks next meet in a
/// collective call.
///
/// Source: D'Azevedo and Romine, EDONIO: Extended Distributed Object Network I/O Library, section 4.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "vm/files/frames.hpp"

namespace nasvm::files {

class BlockCopies {
 public:
  struct Copy {
    BlockName name;
    std::vector<std::byte> data;  ///< a whole block
    bool there = false;           ///< all of it has come
    std::uint64_t question = 0;   ///< by which it was asked for
  };

  BlockCopies(std::size_t blocks, std::size_t block_bytes) : limit_(blocks), block_bytes_(block_bytes) {}

  /// The copy of a block, which is now the last that was used; null when there is none. Valid until the next `add`.
  Copy* find(const BlockName& name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return nullptr;
    copies_.splice(copies_.begin(), copies_, found->second);
    return &copies_.front();
  }
  /// Room for one more, with nothing in it yet; null when all that there is room for are on their way, or this one
  /// has its room already.
  Copy* add(const BlockName& name) {
    if (places_.contains(name)) return nullptr;
    if (copies_.size() < limit_) {
      copies_.push_front({name, std::vector<std::byte>(block_bytes_)});
    } else {
      auto oldest = copies_.end();
      do {
        if (oldest == copies_.begin()) return nullptr;
        --oldest;
      } while (!oldest->there);
      places_.erase(oldest->name);
      oldest->name = name;
      oldest->there = false;
      copies_.splice(copies_.begin(), copies_, oldest);
    }
    places_[name] = copies_.begin();
    return &copies_.front();
  }
  /// Forgets one; it must not be on its way.
  void drop(const BlockName& name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return;
    copies_.erase(found->second);
    places_.erase(found);
  }
  /// Forgets a file's. None of them is on its way.
  void drop_file(std::uint32_t file) {
    for (auto copy = copies_.begin(); copy != copies_.end();) {
      const bool goes = copy->name.file == file;
      if (goes) places_.erase(copy->name);
      copy = goes ? copies_.erase(copy) : std::next(copy);
    }
  }
  /// 0: no copies are kept.
  void set_limit(std::size_t blocks) {
    limit_ = blocks;
    while (copies_.size() > limit_) {
      places_.erase(copies_.back().name);
      copies_.pop_back();
    }
  }
  [[nodiscard]] std::size_t limit() const { return limit_; }
  [[nodiscard]] std::size_t size() const { return copies_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const BlockName& name) const { return static_cast<std::size_t>(hash_of(name)); }
  };

  std::size_t limit_;
  std::size_t block_bytes_;
  std::list<Copy> copies_;  ///< last used first
  std::unordered_map<BlockName, std::list<Copy>::iterator, Hash> places_;
};

}  // namespace nasvm::files
