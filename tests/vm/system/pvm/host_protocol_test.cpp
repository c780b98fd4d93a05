#include "vm/system/pvm/host_protocol.hpp"

#include <catch2/catch.hpp>

#include "vm/status.hpp"

using namespace nasvm;
using namespace nasvm::pvm_protocol;

TEST_CASE("a host reads its share of a run over PVM as the console has it") {
  PvmShare share;
  share.program = "/a folder/task";
  share.arguments = {"one", "two words"};
  share.environment = {"NAME=value"};
  share.ranks = {3, 4};
  share.order.setup = "what \"to\" do\nnow";
  share.order.parameters = {{"fragment", 65536}};
  share.order.own_cores = 2;
  share.order.size = 7;
  share.order.hosts = 5;
  const std::string line = to_line(share);
  CHECK(line.find('\n') == line.size() - 1);
  const Command command = parse_command(line);
  REQUIRE(command.share.has_value());
  CHECK_FALSE(command.tasks);
  CHECK(command.share->program == share.program);
  CHECK(command.share->arguments == share.arguments);
  CHECK(command.share->environment == share.environment);
  CHECK(command.share->ranks == share.ranks);
  CHECK(command.share->order.setup == share.order.setup);
  CHECK(command.share->order.parameters == share.order.parameters);
  CHECK(command.share->order.own_cores == 2);
  CHECK(command.share->order.size == 7);
  CHECK(command.share->order.hosts == 5);
}

TEST_CASE("a host reads what it has to start, and refuses anything else") {
  const std::vector<std::string> arguments{"-f", "-S", "-nlab2"};
  CHECK(parse_command(line_for_pvmd(arguments)).pvmd == arguments);
  CHECK(parse_command(line_for_tasks()).tasks);
  CHECK_FALSE(parse_command(line_for_tasks()).life);
  CHECK(parse_command(line_for_life()).life);
  CHECK_FALSE(parse_command(line_for_life()).tasks);
  for (const char* wrong : {"", "help", "{}", "{\"pvmd\": 3}", "{\"program\": \"task\"}"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_command(wrong), RunError);
  }
}

TEST_CASE("the console reads what a host tells, and leaves other lines alone") {
  const auto told = [](const News& news) {
    std::string line = to_line(news);
    line.pop_back();
    return parse_news(line).value();
  };
  CHECK(told({.kind = News::Kind::ready}).kind == News::Kind::ready);
  CHECK(told({.kind = News::Kind::pvmd_says, .text = "ddpro<2316>"}).text == "ddpro<2316>");
  const News ended = told({.kind = News::Kind::task_ended, .rank = 4, .wait_status = 9});
  CHECK(ended.kind == News::Kind::task_ended);
  CHECK(ended.rank == 4);
  CHECK(ended.wait_status == 9);
  const News failed = told({.kind = News::Kind::failed, .text = "no pvmd", .exit_status = Exit::usage});
  CHECK(failed.exit_status == Exit::usage);
  CHECK(failed.text == "no pvmd");
  for (const char* other :
       {"", "nasvm-task []", "nasvm-pvm-host", "nasvm-pvm-host {\"kind\": 0}", "Last login: now"}) {
    INFO(other);
    CHECK_FALSE(parse_news(other).has_value());
  }
}
