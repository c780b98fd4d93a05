#include "harness/commands/reproduce/efficiency.hpp"

#include <limits>

namespace nasvm {

double capacity_bytes_s(const TestbedRecord& testbed, int hosts) {
  const double link = testbed.rate_mbit_s * 1e6 / 8;
  return testbed.medium == Medium::shared ? link : hosts * link;
}

double communication_efficiency(double volume_bytes, double comm_time_s, double capacity_bytes_s) {
  if (comm_time_s <= 0) return std::numeric_limits<double>::quiet_NaN();
  return volume_bytes / (comm_time_s * capacity_bytes_s);
}

}  // namespace nasvm
