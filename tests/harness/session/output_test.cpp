#include "harness/session/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "../fake_executor.hpp"
#include "support/file_size_limit.hpp"
#include "support/refused_calls.hpp"
#include "support/skip.hpp"
#include "vm/status.hpp"

using namespace nasvm;
using test::content;
using test::Folder;

namespace {

struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status;
}

std::vector<std::string> names_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file(""))) {
    names.push_back(entry.path().filename());
  }
  return names;
}

/// Without root's privileges while this lives; the folder is its own.
class Unprivileged {
 public:
  explicit Unprivileged(const std::vector<std::string>& paths) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() != 0) return;
    for (const std::string& path : paths) REQUIRE(::chown(path.c_str(), nobody, static_cast<gid_t>(-1)) == 0);
    REQUIRE(::seteuid(nobody) == 0);
  }
  ~Unprivileged() { (void)!::seteuid(::getuid()); }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
};

}  // namespace

TEST_CASE("output: a file holds what was written last, longer or shorter") {
  const Folder folder;
  OutputFile file(folder.file("f"));
  CHECK(file.is_rewritable());
  file.rewrite("short");
  CHECK(content(folder.file("f")) == "short");
  file.rewrite("much longer than before");
  CHECK(content(folder.file("f")) == "much longer than before");
  file.rewrite("x");
  CHECK(content(folder.file("f")) == "x");
  file.rewrite("");
  CHECK(content(folder.file("f")).empty());
}

TEST_CASE("output: opening leaves an existing file as it is") {
  const Folder folder;
  const std::string path = folder.write("f", "old");
  OutputFile file(path);
  CHECK(content(path) == "old");
}

TEST_CASE("output: where the file was removed or replaced meanwhile, the text is there all the same") {
  const Folder folder;
  const std::string path = folder.write("f", "old");
  OutputFile removed(path);
  std::filesystem::remove(path);
  removed.rewrite("of the first");
  CHECK(content(path) == "of the first");
  OutputFile second(path);
  removed.rewrite("of the first again");
  second.rewrite("of the second");
  CHECK(content(path) == "of the second");
  removed.rewrite("of the first at last");
  CHECK(content(path) == "of the first at last");
  std::filesystem::create_directory(folder.file("gone"));
  OutputFile nowhere(folder.file("gone/f"));
  std::filesystem::remove_all(folder.file("gone"));
  CHECK_THROWS_AS(nowhere.rewrite("nowhere"), RunError);
}

TEST_CASE("output: what another has put in place of a file that was made and not written stays") {
  const Folder folder;
  const std::string path = folder.file("f");
  {
    const OutputFile without_results(path);
    OutputFile(path).rewrite("of another");
  }
  CHECK(content(path) == "of another");
}

TEST_CASE("output: what cannot be opened is a usage error") {
  const Folder folder;
  CHECK_THROWS_AS(OutputFile(folder.file("no/f")), UsageError);
  CHECK_THROWS_AS(OutputFile(folder.file("")), UsageError);
}

TEST_CASE("output: what cannot be written is a run error with the system's reason") {
  OutputFile full("/dev/full");
  CHECK_FALSE(full.is_rewritable());
  CHECK_THROWS_AS(full.rewrite("x"), RunError);
  CHECK_THROWS_WITH(full.rewrite("x"), "cannot write /dev/full: No space left on device");
}

TEST_CASE("output: who has the file open sees the old text whole or the new text whole") {
  const Folder folder;
  const std::string path = folder.write("f", "old text");
  std::ifstream reader(path);
  OutputFile file(path);
  file.rewrite("new");
  CHECK(std::string(std::istreambuf_iterator<char>(reader), {}) == "old text");
  CHECK(content(path) == "new");
  CHECK(names_in(folder) == std::vector<std::string>{"f"});
}

TEST_CASE("output: a file that is replaced keeps its permissions; a new one has the usual ones") {
  const Folder folder;
  const std::string old = folder.write("old", "x");
  REQUIRE(::chmod(old.c_str(), 0640) == 0);
  OutputFile(old).rewrite("y");
  CHECK((status_of(old).st_mode & 07777) == 0640);
  const mode_t mask = ::umask(027);
  OutputFile fresh(folder.file("new"));
  fresh.rewrite("y");
  ::umask(mask);
  CHECK((status_of(folder.file("new")).st_mode & 07777) == 0640);
}

TEST_CASE("output: links stay links") {
  const Folder folder;
  const std::string target = folder.write("target", "old");
  std::filesystem::create_symlink("target", folder.file("symbolic"));
  OutputFile(folder.file("symbolic")).rewrite("by the symbolic link");
  CHECK(std::filesystem::is_symlink(folder.file("symbolic")));
  CHECK(content(target) == "by the symbolic link");
  std::filesystem::create_hard_link(target, folder.file("hard"));
  OutputFile(folder.file("hard")).rewrite("by the other name");
  CHECK(content(target) == "by the other name");
  CHECK(status_of(target).st_nlink == 2);
}

TEST_CASE("output: a disk that is full leaves the old text whole and nothing beside it") {
  const Folder folder;
  const std::string path = folder.write("f", "old text");
  OutputFile file(path);
  {
    const test::FileSizeLimit small(16, SIG_IGN);
    CHECK_THROWS_WITH(file.rewrite(std::string(100, 'x')), "cannot write " + path + ": File too large");
  }
  CHECK(content(path) == "old text");
  CHECK(names_in(folder) == std::vector<std::string>{"f"});
  file.rewrite("new");
  CHECK(content(path) == "new");
}

TEST_CASE("output: a disk that fails leaves the old text whole and nothing beside it") {
  const Folder folder;
  OutputFile file(folder.file("f"));
  file.rewrite("old");
  const int status = test::status_in_child([&] {
    if (!test::refuse_call(SYS_fsync, EIO)) return test::no_filter_status;
    try {
      file.rewrite("new");
    } catch (const RunError& error) {
      return error.what() == "cannot write " + folder.file("f") + ": Input/output error" ? 0 : 2;
    }
    return 1;
  });
  if (status == test::no_filter_status) return test::skip("this system forbids filters of system calls");
  CHECK(status == 0);
  CHECK(content(folder.file("f")) == "old");
  CHECK(names_in(folder) == std::vector<std::string>{"f"});
}

TEST_CASE("output: a file without anything written goes again, if it was not there before") {
  const Folder folder;
  { const OutputFile file(folder.file("new")); }
  CHECK(names_in(folder).empty());
}

TEST_CASE("output: where no file may be made beside it, the file itself is written") {
  const Folder folder;
  const std::string path = folder.write("f", "a longer old text");
  const Unprivileged unprivileged({folder.file(""), path});
  OutputFile file(path);
  REQUIRE(::chmod(folder.file("").c_str(), 0500) == 0);
  file.rewrite("new");
  REQUIRE(::chmod(folder.file("").c_str(), 0700) == 0);
  CHECK(content(path) == "new");
}

TEST_CASE("output: a file that may not be written is refused in one line, though its folder may") {
  const Folder folder;
  const std::string path = folder.write("f", "old");
  const Unprivileged unprivileged({folder.file(""), path});
  REQUIRE(::chmod(path.c_str(), 0400) == 0);
  CHECK_THROWS_WITH(OutputFile(path), path + ": cannot be opened for writing: Permission denied");
  CHECK(names_in(folder) == std::vector<std::string>{"f"});
}

TEST_CASE("output: a file that is standard output, too, has both texts, one behind the other") {
  const Folder folder;
  const std::string path = folder.write("out", "before\n");
  const int kept = ::dup(STDOUT_FILENO);
  const int log = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  REQUIRE(log >= 0);
  REQUIRE(::dup2(log, STDOUT_FILENO) == STDOUT_FILENO);
  std::string error;
  try {
    OutputFile file(path);
    if (file.is_rewritable()) error = "rewritable";
    file.rewrite("document\n");
    if (::write(STDOUT_FILENO, "table\n", 6) != 6) error = "not written";
  } catch (const Error& complaint) {
    error = complaint.what();
  }
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  ::close(log);
  CHECK(error.empty());
  CHECK(content(path) == "before\ndocument\ntable\n");
}
