#include "harness/commands/io/record.hpp"

namespace nasvm {

void describe(Fields& fields, IoRecord& record) {
  fields.text("method", record.method);
  fields.text("transport", record.transport, Need::optional);
  fields.integer("np", record.np);
  fields.text("pattern", record.pattern, Need::optional);
  fields.integer("grid", record.grid);
  fields.count("block_bytes", record.block_bytes, Need::optional);
  fields.count("access_bytes", record.access_bytes);
  fields.count("disk_cache_bytes", record.disk_cache_bytes, Need::optional);
  fields.boolean("preloaded", record.preload, Need::optional);
  fields.boolean("sync", record.sync, Need::optional);
  fields.text("table", record.table, Need::optional);
  const bool of_paper = !record.table.empty();
  if (fields.has("data_cache_bytes", of_paper || record.data_cache_bytes != usual_data_cache_bytes)) {
    fields.count("data_cache_bytes", record.data_cache_bytes, Need::optional);
  } else if (of_paper) {
    record.data_cache_bytes = paper_data_cache_bytes;  // a reader; writers have it
  }
  fields.text_if_known("folder", record.folder);
  fields.boolean("cold", record.cold, Need::optional);
  fields.count("kept_bytes", record.kept_bytes, Need::optional);
  fields.integer("repeat", record.repeat, Need::optional);
  fields.count("file_bytes", record.file_bytes, Need::optional);
  const Shown shown = withheld_unless(is_right(record));
  const auto seconds = [&](const char* name, double& value) { fields.real(name, value, Need::optional, shown); };
  seconds("open_to_write_s", record.time.open_to_write_s);
  seconds("write_s", record.time.write_s);
  seconds("close_written_s", record.time.close_written_s);
  seconds("open_to_read_s", record.time.open_to_read_s);
  seconds("preload_s", record.time.preload_s);
  seconds("read_s", record.time.read_s);
  seconds("close_read_s", record.time.close_read_s);
  fields.count("batches", record.cost.batches, Need::optional);
  fields.count("questions", record.cost.questions, Need::optional);
  fields.count("hits", record.cost.hits, Need::optional);
  fields.count("misses", record.cost.misses, Need::optional);
  fields.count("disk_bytes", record.cost.disk_bytes, Need::optional);
  seconds("communication_s", record.communication_s);
  seconds("idle_s", record.idle_s);
  fields.boolean("verified", record.verified);
  describe_sampled(fields, record.sampled);
}

}  // namespace nasvm
