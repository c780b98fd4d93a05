#pragma once
/// \file
/// What a task that is a program of others tells the console beside what travels through the machine: over a socket
/// on the console's computer, as lines among what daemons say from elsewhere.

#include <optional>
#include <string>
#include <string_view>

namespace nasvm::abi {

struct Word {
  enum class Kind : char {
    hello = 'h',       ///< here I am: hand me the streams
    status = 's',      ///< the program has ended with that exit status, as a shell has it
    expected = 'x',    ///< the line that was waited for has come
    waits = 'w',       ///< its time is up: where it is
    stranger = 'n',    ///< the program has ended without MPI_Init
    early = 'f',       ///< the program has ended by itself between MPI_Init and MPI_Finalize
    refused = 'r',     ///< its output cannot be written: why
    open = 'b',        ///< its line stands open, without a newline: on 1, its standard output, or 2
    closed = 'c',      ///< not any more
    part = 'p',        ///< a part of a line of its standard output
    line = 'o',        ///< the rest of it
    unfinished = 'u',  ///< the same, but without its end, which is not near
    error_part = 'q',
    error_line = 'e',
    error_unfinished = 'v',
  };

  int rank = 0;
  Kind kind = Kind::hello;
  std::string text{};
};

/// As one packet, and back; nothing where it is none.
std::string packet_of(const Word& word);
std::optional<Word> word_in_packet(std::string_view packet);

/// As a line of letters and digits, and back; nothing where it is none.
std::string remark_of(const Word& word);
std::optional<Word> word_in_remark(std::string_view line);

/// How long the text of a remark may be: lines of daemons are cut at 1000 characters.
inline constexpr std::size_t longest_remark_text = 400;

}  // namespace nasvm::abi
