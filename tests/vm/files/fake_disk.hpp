#pragma once
/// \file
/// A disk in memory for tests: full, failing, and crashing. What was written is lost in a crash unless it was
/// synchronised.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vm/files/disk.hpp"

namespace nasvm::test {

class FakeDisk final : public files::Disk {
 public:
  struct Write {
    std::uint64_t position;
    std::size_t bytes;
    bool operator==(const Write&) const = default;
  };

  std::unique_ptr<files::DiskFile> open(const std::string& path, const files::Way& way) override {
    const std::lock_guard lock(mutex_);
    if (!folder_there) throw files::system_error(path, "cannot be opened", refuses_with);
    const bool there = contents_.contains(path);
    if (!there && !way.create) throw files::system_error(path, "cannot be opened", ENOENT);
    if (there && way.exclusive) throw files::system_error(path, "cannot be opened", EEXIST);
    Content& content = contents_[path];
    if (!there) content.identity = contents_.size();
    return std::make_unique<File>(*this, path, content);
  }

  /// What would be found after the power has failed.
  std::vector<std::byte> after_crash(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return contents_[path].safe;
  }
  std::vector<std::byte> content(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return contents_[path].bytes;
  }
  void put(const std::string& path, std::vector<std::byte> bytes, std::int64_t changed_ns = 0) {
    const std::lock_guard lock(mutex_);
    Content& content = contents_[path];
    content.safe = content.bytes = std::move(bytes);
    content.identity = contents_.size();
    content.changed_ns = changed_ns;
  }

  std::uint64_t room = UINT64_MAX;  ///< for the bytes of a file: more are ENOSPC
  std::atomic<bool> fails_to_read = false;
  std::function<void()> before_read = [] {};  ///< in the thread that reads
  bool fails_to_sync = false;
  bool fails_to_resize = false;
  bool folder_there = true;
  int refuses_with = ENOENT;  ///< where it is not
  bool in_memory = false;     ///< the system has all of it
  std::atomic<int> looks_in_memory = 0;
  std::vector<Write> writes;
  std::vector<Write> reads;
  int syncs = 0;

 private:
  struct Content {
    std::vector<std::byte> bytes;
    std::vector<std::byte> safe;
    std::uint64_t identity = 0;
    std::int64_t changed_ns = 0;
    int readers = 0;
    int writers = 0;
  };

  class File final : public files::DiskFile {
   public:
    File(FakeDisk& disk, std::string path, Content& content)
        : disk_(disk), path_(std::move(path)), content_(content) {}
    ~File() override {
      const std::lock_guard lock(disk_.mutex_);
      if (locked_ != 0) --(locked_ == 1 ? content_.readers : content_.writers);
    }

    using files::DiskFile::read;
    void read(std::uint64_t position, std::span<std::byte> into, std::size_t there) override {
      disk_.before_read();
      const std::lock_guard lock(disk_.mutex_);
      if (disk_.fails_to_read) {
        std::memset(into.data(), 0xff, into.size());  // nothing is promised of it
        throw files::system_error(path_, "cannot be read", EIO);
      }
      if (there > 0 && position + there > content_.bytes.size()) {
        throw files::system_error(path_, "has become shorter", EIO);
      }
      disk_.reads.push_back({position, into.size()});
      std::memset(into.data(), 0, into.size());
      if (position >= content_.bytes.size()) return;
      std::memcpy(into.data(), content_.bytes.data() + position,
                  std::min(into.size(), content_.bytes.size() - static_cast<std::size_t>(position)));
    }
    bool read_from_memory(std::uint64_t position, std::span<std::byte> into) override {
      const std::lock_guard lock(disk_.mutex_);
      ++disk_.looks_in_memory;
      if (!disk_.in_memory || position + into.size() > content_.bytes.size()) return false;
      std::memcpy(into.data(), content_.bytes.data() + position, into.size());
      return true;
    }
    void write(std::uint64_t position, std::span<const std::span<const std::byte>> parts) override {
      const std::lock_guard lock(disk_.mutex_);
      std::size_t bytes = 0;
      for (const auto& part : parts) bytes += part.size();
      if (position + bytes > disk_.room) throw files::system_error(path_, "cannot be written", ENOSPC);
      disk_.writes.push_back({position, bytes});
      content_.bytes.resize(std::max<std::size_t>(content_.bytes.size(), position + bytes));
      for (const auto& part : parts) {
        std::memcpy(content_.bytes.data() + position, part.data(), part.size());
        position += part.size();
      }
    }
    void sync() override {
      const std::lock_guard lock(disk_.mutex_);
      if (disk_.fails_to_sync) throw files::system_error(path_, "cannot be brought to disk", EIO);
      ++disk_.syncs;
      content_.safe = content_.bytes;
    }
    std::uint64_t size() override {
      const std::lock_guard lock(disk_.mutex_);
      return content_.bytes.size();
    }
    void resize(std::uint64_t bytes) override {
      const std::lock_guard lock(disk_.mutex_);
      if (disk_.fails_to_resize) throw files::system_error(path_, "cannot be given a size", EIO);
      content_.bytes.resize(bytes);
    }
    void reserve(std::uint64_t bytes) override {
      if (bytes > disk_.room) throw files::system_error(path_, "cannot get space", ENOSPC);
    }
    void expect(std::uint64_t, std::uint64_t) override {}
    void lock(files::Access access) override {
      const std::lock_guard lock(disk_.mutex_);
      const bool reads = access == files::Access::read;
      if (content_.writers > 0 || (!reads && content_.readers > 0)) {
        throw files::FileError(EBUSY, path_ + ": is open elsewhere");
      }
      locked_ = reads ? 1 : 2;
      ++(reads ? content_.readers : content_.writers);
    }
    std::uint64_t identity() override { return content_.identity; }
    std::int64_t changed_ns() override { return content_.changed_ns; }

   private:
    FakeDisk& disk_;
    std::string path_;
    Content& content_;
    int locked_ = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Content> contents_;
};

}  // namespace nasvm::test
