/// \file
/// What tasks tell the console, as packets and as lines of daemons.

#include "vm/abi/launch/words.hpp"

#include <catch2/catch.hpp>

using namespace nasvm::abi;

TEST_CASE("words: a packet says what was told, whatever its bytes are", "[exec]") {
  for (const std::string& text : {std::string(), std::string("status 5"), std::string("a\0b\n ", 5)}) {
    const auto word = word_in_packet(packet_of({17, Word::Kind::waits, text}));
    REQUIRE(word.has_value());
    CHECK(word->rank == 17);
    CHECK(word->kind == Word::Kind::waits);
    CHECK(word->text == text);
  }
}

TEST_CASE("words: a remark is a line of letters and digits, and survives the loss of its last blank", "[exec]") {
  for (const std::string& text : {std::string(), std::string("  two  blanks "), std::string("\x01\xff\n", 3)}) {
    std::string line = remark_of({3, Word::Kind::line, text});
    CHECK(line.find('\n') == std::string::npos);
    while (line.back() == ' ') line.pop_back();
    const auto word = word_in_remark(line);
    REQUIRE(word.has_value());
    CHECK(word->rank == 3);
    CHECK(word->kind == Word::Kind::line);
    CHECK(word->text == text);
  }
  CHECK(remark_of({4095, Word::Kind::part, std::string(longest_remark_text, 'x')}).size() < 1000);
}

TEST_CASE("words: what is none is none", "[exec]") {
  for (const char* packet : {"", "3", "3 s", "x s 5", "-1 s 5", "3 ? 5", "3s5"}) {
    CAPTURE(packet);
    CHECK_FALSE(word_in_packet(packet).has_value());
  }
  for (const char* line :
       {"", "nasvm-task ", "nasvm-task 3 o 4", "nasvm-task 3 o zz", "Warning: nasvm-task 3 o 41"}) {
    CAPTURE(line);
    CHECK_FALSE(word_in_remark(line).has_value());
  }
}
