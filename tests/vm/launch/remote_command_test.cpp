#include "vm/launch/remote_command.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace nasvm;

namespace {

int status_of(const std::string& command) { return WEXITSTATUS(std::system(command.c_str())); }

}  // namespace

TEST_CASE("a remote shell's words are apart at blanks", "[remote_command]") {
  CHECK(words_of("ssh -p  22 ") == std::vector<std::string>{"ssh", "-p", "22"});
  CHECK(words_of(" ").empty());
}

TEST_CASE("what is quoted is one word for a shell, whatever is in it", "[remote_command]") {
  for (const char* text : {"plain", "two words", "it's", "$HOME `id` \"x\" \\ ; &", ""}) {
    CAPTURE(text);
    ::setenv("NASVM_TEST_WORD", text, 1);
    CHECK(status_of("test " + shell_quoted(text) + " = \"$NASVM_TEST_WORD\"") == 0);
  }
  ::unsetenv("NASVM_TEST_WORD");
}

TEST_CASE("a script for sh has its name, and its argument where there is one", "[remote_command]") {
  CHECK(status_of(with_sh("test \"$0-$1\" = \"a name-it's\"", "a name", "it's")) == 0);
  CHECK(status_of(with_sh("exit $#", "name")) == 0);
  CHECK(status_of(with_sh("exit $#", "name", "one")) == 1);
}

TEST_CASE("the command for a daemon runs the program of that path, with its exit status", "[remote_command]") {
  CHECK(status_of(command_for_daemon("/bin/true")) == 0);
  CHECK(status_of(command_for_daemon("/bin/false")) == 1);
}

TEST_CASE("a daemon that is nowhere is status 127", "[remote_command]") {
  CHECK(status_of("PATH=/usr/bin:/bin " + command_for_daemon("/no such/nasvmd") + " 2>/dev/null") == 127);
}
