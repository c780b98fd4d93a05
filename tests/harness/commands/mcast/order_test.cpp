#include "harness/commands/mcast/order.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "../../fake_executor.hpp"
#include "harness/session/order.hpp"

using namespace nasvm;

TEST_CASE("mcast order: survives its way to the tasks") {
  McastOrder order;
  order.protocol = "nak:window=20";
  order.authenticated = false;
  order.ttl = 4;
  order.sizes = {0, 1 << 20};
  order.effort.iterations = 12;
  order.effort.check_data = true;
  const std::string text = text_of_record(order);
  CHECK(order_kind(text) == order_kind_mcast);
  const auto read = record_of_text<McastOrder>(text);
  CHECK(read.protocol == "nak:window=20");
  CHECK_FALSE(read.authenticated);
  CHECK(read.ttl == 4);
  CHECK(read.sizes == order.sizes);
  CHECK(read.effort.iterations == 12);
  CHECK_FALSE(read.effort.warmup);
  CHECK(read.effort.check_data);
}

TEST_CASE("mcast report: survives its way back, also where times are not known") {
  McastReport report;
  report.records = {test::mcast_record(3, 1000, 2), McastRecord{}};
  report.complaints = {"wrong"};
  report.remarks = {"unreached"};
  const auto read = record_of_text<McastReport>(text_of_record(report));
  REQUIRE(read.records.size() == 2);
  CHECK(read.records == report.records);
  CHECK(std::isnan(read.records[1].time.median_s));
  CHECK(read.complaints == report.complaints);
  CHECK(read.remarks == report.remarks);
}

TEST_CASE("mcast record: data that arrived wrong have no figures") {
  McastRecord record = test::mcast_record(3, 1000, 2);
  record.data = DataCheck::failed;
  CHECK(std::isnan(record_of_text<McastRecord>(text_of_record(record)).time.median_s));
  CHECK_THAT(text_of_record(record), Catch::Matchers::Contains("\"throughput_mbit_s\":null"));
}

TEST_CASE("mcast record: its label shows what options have set") {
  McastRecord record;
  record.protocol = "lineartree:height=6";
  CHECK(record.label() == "lineartree:height=6");
  record.parameters = "packet=8k:window=20";
  CHECK(record.label() == "lineartree:height=6 packet=8k window=20");
}
