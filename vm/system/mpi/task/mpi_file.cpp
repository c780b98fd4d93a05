#include "vm/system/mpi/task/mpi_file.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>

#include "vm/status.hpp"

namespace nasvm {
namespace {

class MpiFile final : public SharedFile {
 public:
  MpiFile(const std::string& path, Access access) : path_(path) {
    const int mode = access == Access::read ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_RDWR;
    check(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_), "cannot be opened");
    if (access == Access::write) check(MPI_File_set_size(file_, 0), "cannot be emptied");
  }

  void write(std::uint64_t position, std::span<const std::byte> data) override {
    in_parts(position, data, [this](MPI_Offset at, const std::byte* part, int bytes) {
      MPI_Status status;
      check(MPI_File_write_at(file_, at, part, bytes, MPI_BYTE, &status), "cannot be written");
      // On a full disk OMPIO says no more than that.
      const int count = bytes_of(status);
      if (count != bytes)
        throw RunError(fmt::format("{}: cannot be written: {} of {} bytes by MPI-IO", path_, count, bytes));
    });
  }
  void read(std::uint64_t position, std::span<std::byte> into) override {
    in_parts(position, into, [this](MPI_Offset at, std::byte* part, int bytes) {
      MPI_Status status;
      check(MPI_File_read_at(file_, at, part, bytes, MPI_BYTE, &status), "cannot be read");
      if (bytes_of(status) != bytes) throw RunError(path_ + ": ends before what was to be read");
    });
  }
  void sync() override { check(MPI_File_sync(file_), "cannot be brought to disk"); }
  void close() override { check(MPI_File_close(&file_), "cannot be closed"); }

 private:
  static int bytes_of(const MPI_Status& status) {
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    return count;
  }
  /// MPI counts in int.
  template <typename Data, typename Access>
  static void in_parts(std::uint64_t position, Data data, Access access) {
    while (!data.empty()) {
      const std::size_t bytes = std::min<std::size_t>(data.size(), INT_MAX);
      access(static_cast<MPI_Offset>(position), data.data(), static_cast<int>(bytes));
      data = data.subspan(bytes);
      position += bytes;
    }
  }
  void check(int code, const char* what) const {
    if (code == MPI_SUCCESS) return;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw RunError(path_ + ": " + what + " by MPI-IO: " + std::string(text.data(), static_cast<std::size_t>(length)));
  }

  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace

std::unique_ptr<SharedFile> open_mpi_file(const std::string& path, SharedFile::Access access) {
  return std::make_unique<MpiFile>(path, access);
}

}  // namespace nasvm
