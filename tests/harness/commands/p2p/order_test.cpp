#include "harness/commands/p2p/order.hpp"

#include <catch2/catch.hpp>

#include "../../fake_executor.hpp"
#include "harness/kernel_runs/task_report.hpp"
#include "harness/session/order.hpp"

using namespace nasvm;

TEST_CASE("p2p order: says to the tasks all that was asked for") {
  P2pOrder order;
  order.kind = P2pKind::collective;
  order.collectives = {"barrier", "alltoall"};
  order.yardstick = "raw-tcp";
  order.address = "127.0.0.2";
  order.sizes = {0, 8, std::uint64_t{1} << 30};
  order.bind = Binding::none;
  order.effort = {100, 7, 16, true, 0.25, 32};
  const P2pOrder read = record_of_text<P2pOrder>(text_of_record(order));
  CHECK(order_kind(text_of_record(order)) == order_kind_p2p);
  CHECK(read.kind == order.kind);
  CHECK(read.collectives == order.collectives);
  CHECK(read.yardstick == order.yardstick);
  CHECK(read.address == order.address);
  CHECK(read.sizes == order.sizes);
  CHECK(read.bind == Binding::none);
  CHECK(read.effort.iterations == 100);
  CHECK(read.effort.warmup == 7);
  CHECK(read.effort.window == 16);
  CHECK(read.effort.check_data);
  CHECK(read.effort.sample_time_s == 0.25);
  CHECK(read.effort.buffers == 32);
}

TEST_CASE("p2p order: what was left open stays open") {
  const P2pOrder read = record_of_text<P2pOrder>(text_of_record(P2pOrder{}));
  CHECK_FALSE(read.effort.iterations.has_value());
  CHECK_FALSE(read.effort.warmup.has_value());
  CHECK_FALSE(read.effort.window.has_value());
}

TEST_CASE("p2p order: the order of a kernel is of another kind") {
  CHECK(order_kind(text_of_record(TaskOrder{"ep", {}})) == order_kind_kernel);
}

TEST_CASE("p2p report: arrives as it was sent") {
  P2pReport report;
  report.records = {test::p2p_record("direct", 8, 10), test::p2p_record("direct", 16, 10.125)};
  report.records[1].data = DataCheck::passed;
  report.collectives = {test::collective_record("barrier", 4, "shm", 0, 2.5)};
  report.mixed.resize(2);
  report.service.resize(2);
  report.service[1].request_us = 0.5;
  report.coupled.resize(1);
  report.coupled[0].np = 6;
  report.mixed[1].transport = "direct";
  report.complaints = {"byte 3 \"is\" wrong"};
  const P2pReport read = record_of_text<P2pReport>(text_of_record(report));
  CHECK(read.records == report.records);
  CHECK(read.collectives == report.collectives);
  CHECK(read.mixed == report.mixed);
  CHECK(read.service == report.service);
  CHECK(read.coupled == report.coupled);
  CHECK(read.complaints == report.complaints);
}
