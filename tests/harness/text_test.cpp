#include "harness/text.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("text: for XML markup is escaped, controls are blanks, and what is not UTF-8 is a sign that says so") {
  CHECK(xml_escaped("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(xml_escaped("a\nb\x1b[1m") == "a b [1m");
  CHECK(xml_escaped("Ålund ▁ \xf0\x9f\x98\x80") == "Ålund ▁ \xf0\x9f\x98\x80");
  const std::string unknown = "\xef\xbf\xbd";
  CHECK(xml_escaped("\xff\xfe.json") == unknown + unknown + ".json");
  CHECK(xml_escaped("\xc3") == unknown);                              // cut
  CHECK(xml_escaped("\xc0\xaf") == unknown + unknown);                // longer than it must be
  CHECK(xml_escaped("\xed\xa0\x80") == unknown + unknown + unknown);  // a surrogate
  CHECK(xml_escaped("\xef\xbf\xbf") == unknown + unknown + unknown);  // U+FFFF, which XML does not have
  CHECK(xml_escaped("\xf4\x90\x80\x80") == unknown + unknown + unknown + unknown);
}

TEST_CASE("text: what a terminal would take for a command is spelled out") {
  CHECK(printable("\x1b[31mred\n\t\x7f") == "\\x1b[31mred\\n\\t\\x7f");
  CHECK(printable("\xc2\x9b"
                  "31m \xc2\x85") == "\\x9b31m \\x85");  // the same in the upper half
  CHECK(printable("Ålund, 1.5 µs") == "Ålund, 1.5 µs");
}
