#include "harness/commands/hosts/hosts.hpp"

#include "harness/commands/hosts/report.hpp"

namespace nasvm {
namespace {

class Hosts final : public Command {
 public:
  explicit Hosts(Surveyor surveyor) : surveyor_(std::move(surveyor)) {}

  void add_options(CommandLine& line, const Tables& tables) override {
    options_.machine.launchers = tables.launchers;
    add_hosts_options(line, options_);
  }

  Exit run(const Call& call) override {
    const Survey survey = surveyor_(options_);
    call.console.out(options_.format == "json"  ? survey_json(survey)
                     : options_.format == "csv" ? survey_csv(survey)
                                                : survey_table(survey, options_.all_pairs, call.console.out_columns));
    return Exit::ok;
  }

 private:
  Surveyor surveyor_;
  HostsOptions options_;
};

}  // namespace

CommandRow hosts_command(Surveyor surveyor) {
  return {"hosts", "the virtual machine: hosts, daemons, methods per pair of tasks",
          [surveyor] { return std::make_unique<Hosts>(surveyor); }};
}

}  // namespace nasvm
