#pragma once
/// \file
/// Which context a new communicator has. One of its tasks claims it: the tasks could not look for one that is free on
/// all of them, as other threads or jobs of theirs may be about to take the same.

#include <memory>
#include <vector>

#include "vm/abi/mpi/communicator.hpp"

namespace nasvm::mpi {

/// For these ranks of a communicator, this one among them, in messages with that hidden tag: several threads of
/// theirs may be about communicators. Blocks until the first of them has said it.
[[nodiscard]] Context agree_on_context(Communicator& comm, const std::vector<Rank>& members, Tag agreement_tag);
/// For all tasks of a Comm: collective.
[[nodiscard]] Context agree_on_context(Comm& comm, Rank first = 0);

/// As Comm::split: those of the same colour, by key; nothing where it is negative. Collective.
[[nodiscard]] std::unique_ptr<Comm> split_tasks(Comm& comm, int color, int key);

}  // namespace nasvm::mpi
