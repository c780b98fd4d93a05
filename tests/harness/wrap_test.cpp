#include "harness/wrap.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("wrap: what fits stays as it is") {
  const std::string text = "Options:\n  --np N   number of tasks\n\nend";
  CHECK(wrapped(text, 80) == text);
  CHECK(wrapped("", 80).empty());
  CHECK(wrapped("12345 6789\n", 10) == "12345 6789\n");
}

TEST_CASE("wrap: prose is broken between words") {
  CHECK(wrapped("one two three four five", 20) == "one two three four\nfive");
  CHECK(wrapped("one two three four five\nsix", 20) == "one two three four\nfive\nsix");
}

TEST_CASE("wrap: a sign takes one column, however many bytes it has") {
  CHECK(terminal_columns("") == 0);
  CHECK(terminal_columns("a▁ö") == 3);
  CHECK(first_columns("a▁ö", 2) == "a▁");
  CHECK(first_columns("a▁ö", 0).empty());
  CHECK(first_columns("a▁ö", 9) == "a▁ö");
  CHECK(wrapped("öne twö thrëë föur fïve", 20) == "öne twö thrëë föur\nfïve");
  CHECK(wrapped("öne twö thrëë föur fïve", 23) == "öne twö thrëë föur fïve");
}

TEST_CASE("wrap: a description goes on in its own column") {
  CHECK(wrapped("  --np N   number of tasks that run, at least one", 35) ==
        "  --np N   number of tasks that\n"
        "           run, at least one");
}

TEST_CASE("wrap: a description below its name goes on there") {
  CHECK(wrapped("  --a-long-name NAME\n            one two three four five", 32) ==
        "  --a-long-name NAME\n"
        "            one two three four\n"
        "            five");
}

TEST_CASE("wrap: commands to be copied stay whole, as do words without a gap") {
  const std::string example = "  nasvm run ft --class A --np 8 --transport daemon,direct --runs 5";
  CHECK(wrapped(example, 40) == example);
  const std::string word(50, 'x');
  CHECK(wrapped(word, 40) == word);
  CHECK(wrapped(word + " " + word + " y", 40) == word + "\n" + word + "\ny");
}

TEST_CASE("wrap: a narrow terminal leaves descriptions readable") {
  CHECK(wrapped("  --name N          one two three four five six", 10) ==
        "  --name N          one two three four\n"
        "                    five six");
}
