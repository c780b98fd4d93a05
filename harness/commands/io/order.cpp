#include "harness/commands/io/order.hpp"

#include "harness/session/order.hpp"

namespace nasvm {

void describe(Fields& fields, IoOrder& order) {
  describe_kind(fields, order_kind_io);
  fields.text("method", order.method);
  fields.text("path", order.path);
  fields.text("mounted", order.mounted);
  fields.text("pattern", order.pattern);
  fields.integer("grid", order.grid);
  fields.count("block_bytes", order.block_bytes);
  fields.count("access_bytes", order.access_bytes);
  fields.count("data_bytes", order.data_bytes);
  fields.count("disk_bytes", order.disk_bytes);
  fields.boolean("preload", order.preload);
  fields.boolean("sync", order.sync);
  fields.boolean("drop_cache", order.drop_cache);
}

void describe(Fields& fields, IoReport& report) {
  fields.real("open_to_write_s", report.time.open_to_write_s);
  fields.real("write_s", report.time.write_s);
  fields.real("close_written_s", report.time.close_written_s);
  fields.real("open_to_read_s", report.time.open_to_read_s);
  fields.real("preload_s", report.time.preload_s);
  fields.real("read_s", report.time.read_s);
  fields.real("close_read_s", report.time.close_read_s);
  fields.count("batches", report.cost.batches);
  fields.count("questions", report.cost.questions);
  fields.count("hits", report.cost.hits);
  fields.count("misses", report.cost.misses);
  fields.count("disk_bytes", report.cost.disk_bytes);
  fields.count("file_bytes", report.file_bytes);
  fields.count("kept_bytes", report.kept_bytes);
  fields.real("communication_s", report.communication_s);
  fields.real("idle_s", report.idle_s);
  fields.text("wrong", report.wrong);
}

}  // namespace nasvm
