#include "harness/cli/words.hpp"

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using Catch::Contains;

namespace {

using Words = std::vector<std::string>;

Words words(std::string_view text) { return words_in("--command", text); }

}  // namespace

TEST_CASE("words are apart at blanks", "[words]") {
  CHECK(words("p2p -m  8:1k\t--np 2 ") == Words{"p2p", "-m", "8:1k", "--np", "2"});
  CHECK(words("").empty());
  CHECK(words(" \r\n").empty());
}

TEST_CASE("what is quoted, or behind a backslash, is no end of a word", "[words]") {
  CHECK(words("--rsh \"ssh -p 22\" x") == Words{"--rsh", "ssh -p 22", "x"});
  CHECK(words("'a b'\"c d\"e") == Words{"a bc de"});
  CHECK(words("'' a \"\"") == Words{"", "a", ""});
  CHECK(words("a\\ b \\'") == Words{"a b", "'"});
  CHECK(words("'it\"s' \"it's\"") == Words{"it\"s", "it's"});
}

TEST_CASE("a backslash in quotes protects what ends them alone", "[words]") {
  CHECK(words(R"('a\b' 'c\')") == Words{R"(a\b)", R"(c\)"});
  CHECK(words(R"("a\"b" "c\\" "d\e")") == Words{R"(a"b)", R"(c\)", R"(d\e)"});
}

TEST_CASE("a quote that is not closed is refused, and a backslash at the end", "[words]") {
  CHECK_THROWS_AS(words("a 'b"), UsageError);
  CHECK_THROWS_WITH(words("a \"b"), Contains("--command a \"b: expected another \" that ends what is quoted"));
  CHECK_THROWS_WITH(words("a \"b\\"), Contains("expected another \""));
  CHECK_THROWS_WITH(words("a\\"), Contains("expected a letter behind the last backslash"));
}
