#include "harness/program.hpp"

#include <cctype>
#include <csignal>
#include <new>
#include <string>
#include <variant>

#include "harness/commands/compare/compare.hpp"
#include "harness/commands/hosts/hosts.hpp"
#include "harness/commands/info/info.hpp"
#include "harness/kernel_runs/options.hpp"
#include "harness/commands/p2p/p2p.hpp"
#include "harness/commands/peers/peers.hpp"
#include "harness/commands/regress/regress.hpp"
#include "harness/commands/roofline/roofline.hpp"
#include "harness/commands/run/run.hpp"
#include "vm/launch/machine.hpp"

namespace nasvm {
namespace {

/// One action for each kind of options.
struct Dispatch {
  const Executors& executors;
  const Console& console;

  Exit operator()(const RunOptions& options) const { return run(options, executors.run, console); }
  Exit operator()(const CompareOptions& options) const { return compare(options, console); }
  Exit operator()(const RegressOptions& options) const { return regress(options, console); }
  Exit operator()(const P2pOptions& options) const { return p2p(options, executors.p2p, console); }
  Exit operator()(const PeersOptions& options) const {
    return peers(options, executors.run, executors.peer, console);
  }
  Exit operator()(const RooflineOptions& options) const {
    return roofline(options, executors.run, executors.limits, console);
  }
  Exit operator()(const HostsOptions& options) const { return hosts(options, executors.hosts, console); }
  Exit operator()(const InfoOptions& options) const { return info(options, console); }
  Exit operator()(const HelpRequest& request) const {
    console.out(request.text);
    return Exit::ok;
  }
};

Exit report(const Console& console, std::string text, Exit status) {
  // One line, whatever the user's words in it are; and nothing that a terminal would take for a command.
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = c == '\n' ? ' ' : '?';
  }
  console.err("nasvm: " + text + "\n");
  return status;
}

}  // namespace

int program(std::span<const std::string> arguments, const Executors& executors, const Console& console) {
  const auto guarded = [&] {
    try {
      return std::visit(Dispatch{executors, console}, parse_options(arguments));
    } catch (const Interrupted& interrupt) {
      // Nothing is left to clean up; whoever sent the signal is to see that it has ended this program.
      (void)report(console, interrupt.what(), interrupt.exit_status());
      std::signal(interrupt.signal_number(), SIG_DFL);
      std::raise(interrupt.signal_number());
      return interrupt.exit_status();
    } catch (const Error& error) {
      return report(console, error.what(), error.exit_status());
    } catch (const std::bad_alloc&) {
      return report(console, "out of memory", Exit::broken);
    } catch (const std::exception& error) {
      return report(console, std::string("unexpected: ") + error.what(), Exit::broken);
    }
  };
  return static_cast<int>(guarded());
}

}  // namespace nasvm
