#include "harness/commands.hpp"

#include <array>

#include "harness/commands/compare/compare.hpp"
#include "harness/commands/exec/exec.hpp"
#include "harness/commands/history/history.hpp"
#include "harness/commands/hosts/hosts.hpp"
#include "harness/commands/info/info.hpp"
#include "harness/commands/io/io.hpp"
#include "harness/commands/mcast/mcast.hpp"
#include "harness/commands/mpicc/mpicc.hpp"
#include "harness/commands/p2p/collective/views.hpp"
#include "harness/commands/p2p/p2p.hpp"
#include "harness/commands/p2p/pair/views.hpp"
#include "harness/commands/peers/peers.hpp"
#include "harness/commands/regress/regress.hpp"
#include "harness/commands/reproduce/record.hpp"
#include "harness/commands/reproduce/reproduce.hpp"
#include "harness/commands/reproduce/view.hpp"
#include "harness/commands/roofline/roofline.hpp"
#include "harness/commands/run/run.hpp"
#include "harness/commands/vm/vm.hpp"
#include "harness/kernel_runs/record.hpp"
#include "harness/kernel_runs/scaling_view.hpp"
#include "harness/kernel_runs/view.hpp"

namespace nasvm {

std::vector<CommandRow> commands(const Executors& executors) {
  const std::span<const MpiCompiler> compilers = mpi_compilers();
  return {run_command(executors.run),
          compare_command(),
          regress_command(executors.launch),
          p2p_command(executors.p2p),
          mcast_command(executors.mcast, executors.lab),
          io_command(executors.io),
          hosts_command(executors.hosts),
          vm_command(),
          peers_command(executors.run, {executors.peer, executors.peer_over_ours}, executors.conditions),
          roofline_command(executors.run, executors.limits),
          exec_command(executors.program),
          mpiexec_command(),
          mpi_compiler_command(compilers[0]),
          mpi_compiler_command(compilers[1]),
          mpi_compiler_command(compilers[2]),
          reproduce_command(executors.lab),
          history_command(),
          info_command()};
}

std::span<const Format> formats() {
  static constexpr std::array table{
      Format{"table", "for people", render_table},
      Format{"json", "the result document", render_json},
      Format{"csv", "one line for each record", render_csv},
      Format{"markdown", "the tables in Markdown", render_markdown},
      Format{"npb", "the result blocks of the NAS reference codes", render_npb, RunRecord::section},
      Format{"svg", "the plot of how runs scale, a picture", render_scaling_svg, RunRecord::section},
      Format{"osu", "the layout of the OSU Micro-Benchmarks", render_p2p_osu, P2pRecord::section},
      Format{"osu_latency", "what osu_latency prints", render_osu_program<OsuProgram::latency>, P2pRecord::section},
      Format{"osu_bw", "what osu_bw prints", render_osu_program<OsuProgram::bw>, P2pRecord::section},
      Format{"osu_bibw", "what osu_bibw prints", render_osu_program<OsuProgram::bibw>, P2pRecord::section},
      Format{"osu_mbw_mr", "what osu_mbw_mr prints", render_osu_program<OsuProgram::mbw_mr>, P2pRecord::section},
      Format{"osu", "the same of collectives", render_collective_osu, CollectiveRecord::section},
      Format{"table6", "the layout of the paper's Table 6, with its figures", render_p2p_table6, P2pRecord::section},
      Format{"html", "the report as a page", render_reproduce_html, TestbedRecord::section},
  };
  return table;
}

}  // namespace nasvm
