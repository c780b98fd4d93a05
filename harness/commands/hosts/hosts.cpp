#include "harness/commands/hosts/hosts.hpp"

#include "harness/commands/hosts/report.hpp"

namespace nasvm {

Exit hosts(const HostsOptions& options, const Surveyor& surveyor, const Console& console) {
  const Survey survey = surveyor(options);
  console.out(options.format == "json" ? survey_json(survey) : survey_table(survey, options.all_pairs));
  return Exit::ok;
}

}  // namespace nasvm
