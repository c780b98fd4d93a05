// Calls of the file cache's C interface, as its arguments say; each prints what came of it. Exit status 0, whatever
// that was. "1: nio 0 2": task 1 alone makes this call.

#include <fmt/format.h>
#include <nasvm/edonio.h>
#include <string.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

namespace {

int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

/// -1 for what is no call.
long make(std::istream& words) {
  std::string call;
  std::string text;
  int one = number_in("OMPI_COMM_WORLD_RANK", 0);
  int other = number_in("OMPI_COMM_WORLD_SIZE", 1);
  words >> call;
  if (call == "nio") {
    if (int given = 0; words >> given) one = given;
    return do_nio(one, other);
  }
  if (call == "update" && words >> text) return do_open(text.c_str(), O_RDWR, 0666);
  if (call == "write" && words >> text) return do_write(0, text.data(), text.size());
  if (call == "flush") return do_flush(0);
  if (call == "close") return do_close(0);
  return -1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string rank = std::to_string(number_in("OMPI_COMM_WORLD_RANK", 0));
  for (int i = 1; i < count; ++i) {
    std::string text = arguments[i];
    if (const std::size_t colon = text.find(": "); colon != std::string::npos) {
      if (text.substr(0, colon) != rank) continue;
      text.erase(0, colon + 2);
    }
    std::istringstream words(text);
    const long result = make(words);
    std::cout << fmt::format("{} = {}{}\n", text, result,
                             result < 0 ? fmt::format(" {}: {}", ::strerrorname_np(errno), do_error()) : "");
  }
}
