#include "vm/abi/mpi/context_agreement.hpp"

#include <algorithm>
#include <array>

namespace nasvm::mpi {

Context agree_on_context(Comm& comm, const std::vector<Rank>& members) {
  std::vector<Context> contexts(members.size(), comm.free_context());
  const auto piece = [](Rank rank, Context& context) {
    return Comm::Piece{rank, std::as_writable_bytes(std::span(&context, 1))};
  };
  std::vector<Comm::Piece> others;
  for (std::size_t i = 1; i < members.size(); ++i) others.push_back(piece(members[i], contexts[i]));
  if (comm.rank() != members.front()) {
    Context agreed = 0;
    const std::array own{piece(members.front(), contexts.front())};
    const std::array heard{piece(members.front(), agreed)};
    comm.exchange(own, heard);
    return agreed;
  }
  comm.exchange({}, others);
  const Context agreed = *std::ranges::max_element(contexts);
  std::ranges::fill(contexts, agreed);
  comm.exchange(others, {});
  return agreed;
}

}  // namespace nasvm::mpi
