#include "vm/abi/launch/program_file.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm::abi {
namespace {

/// A file's content, of which pieces are asked for that may not be there.
class Bytes {
 public:
  explicit Bytes(const std::string& path) : file_(path, std::ios::binary) {}

  template <typename T>
  bool read(std::uint64_t at, T& value) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    file_.read(reinterpret_cast<char*>(&value), sizeof value);
    return file_.gcount() == static_cast<std::streamsize>(sizeof value);
  }
  std::string text(std::uint64_t at) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(at));
    std::string found;
    std::getline(file_, found, '\0');
    return found;
  }

 private:
  std::ifstream file_;
};

/// Where an address of the running program is in the file.
std::uint64_t place_of(std::uint64_t address, const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address < segment.p_vaddr + segment.p_filesz) {
      return address - segment.p_vaddr + segment.p_offset;
    }
  }
  return 0;
}

void read_dynamic_section(Bytes& bytes, const Elf64_Phdr& dynamic, const std::vector<Elf64_Phdr>& segments,
                          ProgramFile& file) {
  std::vector<std::uint64_t> names;
  std::uint64_t texts = 0;
  std::uint64_t fixed_path = 0;
  Elf64_Dyn entry{};
  for (std::uint64_t at = 0; at + sizeof entry <= dynamic.p_filesz; at += sizeof entry) {
    if (!bytes.read(dynamic.p_offset + at, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) texts = place_of(entry.d_un.d_ptr, segments);
    if (entry.d_tag == DT_RPATH) fixed_path = entry.d_un.d_val;
  }
  if (texts == 0) return;
  for (const std::uint64_t name : names) file.libraries.push_back(bytes.text(texts + name));
  if (fixed_path != 0) file.fixed_path = bytes.text(texts + fixed_path);
}

/// The first folder of the list that has this file.
std::string folder_with(std::string_view folders, const std::string& name) {
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string folder(folders.substr(0, end));
    if (::access((folder + "/" + name).c_str(), R_OK) == 0) return folder;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

/// Of the binary interfaces that there is a library for: Open MPI's, and the standard's.
constexpr std::array<std::string_view, 3> libraries{"libmpi.so.40", "libmpi_abi.so.1", "libmpi_abi.so.0"};

}  // namespace

ProgramFile read_program_file(const std::string& path) {
  ProgramFile file;
  Bytes bytes(path);
  Elf64_Ehdr header{};
  if (!bytes.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return file;
  }
  file.is_elf = true;
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!bytes.read(header.e_phoff + i * sizeof(Elf64_Phdr), segments[i])) return file;
  }
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_INTERP) file.is_dynamic = true;
    if (segment.p_type == PT_DYNAMIC) read_dynamic_section(bytes, segment, segments, file);
  }
  return file;
}

void check_program_file(const std::string& path) {
  const ProgramFile file = read_program_file(path);
  if (!file.is_elf) return;
  const auto names = [&](std::string_view library) {
    return std::ranges::any_of(file.libraries, [&](const std::string& one) { return one.starts_with(library); });
  };
  if (!file.is_dynamic) {
    throw UsageError(path +
                     " is a static program: its MPI is built into it and cannot be replaced; link it with "
                     "shared libraries");
  }
  if (names("libmpi.so.12") || names("libmpich") || names("libmpi.so.0")) {
    throw UsageError(path +
                     " is built for MPICH, whose binary interface is another one; build it with Open MPI's "
                     "mpicc");
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    throw UsageError(path + " runs as another user (setuid): the loader ignores where our MPI is");
  }
  for (const std::string_view library : libraries) {
    const std::string folder = names(library) ? folder_with(file.fixed_path, std::string(library)) : "";
    if (folder.empty()) continue;
    throw UsageError(path + " looks for its MPI in " + folder +
                     " alone (RPATH); link it without -rpath, or remove it " +
                     "with chrpath -d or patchelf --remove-rpath");
  }
}

std::string find_program(const std::string& name) {
  std::string path = name.find('/') == std::string::npos ? process::find_in_path(name) : name;
  if (path.empty()) throw UsageError("there is no program " + name + " in PATH; for one in this folder: ./" + name);
  const bool may_run = ::access(path.c_str(), X_OK) == 0;
  const int error = may_run ? EISDIR : errno;
  if (!may_run || std::filesystem::is_directory(path)) {
    throw UsageError(path + " is no program that can be run: " + std::strerror(error));
  }
  return std::filesystem::absolute(path).lexically_normal();
}

std::string mpi_folder() {
  const auto beside = std::filesystem::path(process::own_program()).parent_path();
  for (const auto& folder : {beside, beside.parent_path()}) {
    auto found = folder / "mpi";
    if (std::filesystem::exists(found / "openmpi" / libraries.front())) return found;
  }
  throw UsageError("the MPI library is not beside " + process::own_program() + " (mpi/openmpi/" +
                   std::string(libraries.front()) + "): build it, or copy the whole build");
}

std::string library_path() {
  const std::string folder = mpi_folder();
  return folder + "/openmpi:" + folder + "/standard";
}

}  // namespace nasvm::abi
