#include "vm/system/protocol.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "vm/system/order.hpp"

using namespace nasvm;
using namespace nasvm::system_protocol;

namespace {

/// The order as a task reads it that has it in its environment.
Order sent(const Order& order) {
  const std::string variable = to_variable(order);
  const std::size_t equals = variable.find('=');
  ::setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
  Order read = own_order();
  ::unsetenv(order_variable);
  return read;
}

template <typename Said>
Said said(const std::string& line) {
  return std::get<Said>(parse_task_line(line).value());
}

Machine::Program program_of(int size, int threads) {
  Machine::Program program;
  program.size = size;
  program.threads = threads;
  program.setup = "what to do";
  return program;
}

}  // namespace

TEST_CASE("an order reaches its task whole", "[systems]") {
  Order order{"any \"text\"\n\twith = signs", {{"fragment", 4096}, {"route", 1}}, 3, 2, 5};
  const Order read = sent(order);
  CHECK(read.setup == order.setup);
  CHECK(read.parameters == order.parameters);
  CHECK(read.own_cores == 3);
  CHECK(read.rank == 2);
  CHECK(read.size == 5);
}

TEST_CASE("an order without a rank leaves that to the system", "[systems]") {
  const Order read = sent({});
  CHECK(read.rank == any_source);
  CHECK(read.size == 0);
  CHECK(read.own_cores == 0);
}

TEST_CASE("without an order a task says who starts it", "[systems]") {
  ::unsetenv(order_variable);
  CHECK_THROWS_WITH(own_order(), Catch::Contains(order_variable) && Catch::Contains("nasvm run starts it"));
}

TEST_CASE("tasks have cores of their own where there are enough, they shall, and are not alone", "[systems]") {
  CHECK(order_for(program_of(2, 1), {}, 2).own_cores == 1);
  CHECK(order_for(program_of(2, 3), {}, 6).own_cores == 3);
  CHECK(order_for(program_of(3, 1), {}, 2).own_cores == 0);
  CHECK(order_for(program_of(2, 2), {}, 3).own_cores == 0);
  CHECK(order_for(program_of(1, 1), {}, 8).own_cores == 0);
  auto unbound = program_of(2, 1);
  unbound.bind = Binding::none;
  CHECK(order_for(unbound, {}, 8).own_cores == 0);
}

TEST_CASE("an order has the program's setup and the parameters that were set", "[systems]") {
  const Order order = order_for(program_of(2, 1), {{"over", 1}}, 2);
  CHECK(order.setup == "what to do");
  CHECK(order.parameters == Parameters{{"over", 1}});
  CHECK(order.rank == any_source);
}

TEST_CASE("what tasks say comes through, also behind words of others", "[systems]") {
  const auto joined = said<Joined>("noise " + to_line(Joined{1, 4711, "lab1"}));
  CHECK(joined.rank == 1);
  CHECK(joined.pid == 4711);
  CHECK(joined.host == "lab1");
  const auto gave_up = said<GaveUp>(to_line(GaveUp{2, Exit::usage, "no \"such\" thing\xff"}));
  CHECK(gave_up.rank == 2);
  CHECK(gave_up.exit_status == Exit::usage);
  CHECK_THAT(gave_up.text, Catch::StartsWith("no \"such\" thing"));
  const std::vector<std::string> reports{"one\nline", "", std::string(100'000, 'x')};
  CHECK(parse_reports(to_line(reports)) == reports);
}

TEST_CASE("each line of the protocol is one line", "[systems]") {
  for (const std::string& line : {to_line(Joined{0, 1, "a\nb"}), to_line(GaveUp{0, Exit::broken, "a\nb\r\n"}),
                                  to_line(std::vector<std::string>{"a\nb"})}) {
    CHECK(line.find('\n') == line.size() - 1);
  }
}

TEST_CASE("other lines are not of the protocol", "[systems]") {
  for (const char* line : {"", "hello", "nasvm-task", "nasvm-task {", "nasvm-task 3",
                           "nasvm-task {\"rank\": \"one\"}", "nasvm-task [1]"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_task_line(line).has_value());
    CHECK_FALSE(parse_reports(line).has_value());
  }
  CHECK_FALSE(parse_task_line(to_line(std::vector<std::string>{"report"})).has_value());
  CHECK_FALSE(parse_reports(to_line(Joined{0, 1, "host"})).has_value());
}
