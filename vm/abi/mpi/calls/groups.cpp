// MPI-3.1, section 6.3: groups.

#include <algorithm>

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"
#include "vm/abi/mpi/group.hpp"
#include "vm/abi/mpi/predefined.hpp"
#include "vm/abi/mpi/process.hpp"

namespace nasvm::mpi::api {
namespace {

using Members = std::vector<Rank>;

void check_group(const Group* group) { require(group != nullptr, err_group); }

/// What is made of a session's group is the session's, too.
Group* make(Members members, const Group& from) {
  if (members.empty()) return &empty_group();
  auto* made = new Group(std::move(members));
  made->session = from.session;
  return made;
}

bool has(const Group& group, Rank member) { return std::ranges::find(group.members, member) != group.members.end(); }

/// The ranks that triples of first, last and stride name, in their order.
std::vector<int> ranks_of(const Group& group, int n, const int (*ranges)[3]) {
  require(n >= 0, err_arg);
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = ranges[i];
    require(stride != 0, err_arg);
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      require(rank >= 0 && rank < group.size(), err_rank);
      ranks.push_back(rank);
    }
  }
  return ranks;
}

Group* including(const Group& group, const std::vector<int>& ranks) {
  Members members;
  for (const int rank : ranks) {
    require(rank >= 0 && rank < group.size(), err_rank);
    const Rank member = group.members[static_cast<std::size_t>(rank)];
    require(std::ranges::find(members, member) == members.end(), err_rank);
    members.push_back(member);
  }
  return make(std::move(members), group);
}

Group* excluding(const Group& group, const std::vector<int>& ranks) {
  for (const int rank : ranks) require(rank >= 0 && rank < group.size(), err_rank);
  Members members;
  for (int rank = 0; rank < group.size(); ++rank) {
    if (std::ranges::find(ranks, rank) == ranks.end())
      members.push_back(group.members[static_cast<std::size_t>(rank)]);
  }
  return make(std::move(members), group);
}

}  // namespace

void group_size(Group* group, int* size) {
  check_group(group);
  *size = group->size();
}

void group_rank(Group* group, int* rank) {
  check_group(group);
  *rank = group->rank_of(process().world().rank());
}

void group_translate_ranks(Group* group1, int n, const int* ranks1, Group* group2, int* ranks2) {
  check_group(group1);
  check_group(group2);
  require(n >= 0, err_arg);
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] == proc_null) {
      ranks2[i] = proc_null;
      continue;
    }
    require(ranks1[i] >= 0 && ranks1[i] < group1->size(), err_rank);
    ranks2[i] = group2->rank_of(group1->members[static_cast<std::size_t>(ranks1[i])]);
  }
}

void group_compare(Group* group1, Group* group2, int* result) {
  check_group(group1);
  check_group(group2);
  Members first = group1->members;
  Members second = group2->members;
  *result = identical;
  if (first == second) return;
  std::ranges::sort(first);
  std::ranges::sort(second);
  *result = first == second ? similar : unequal;
}

void group_union(Group* group1, Group* group2, Group*& newgroup) {
  check_group(group1);
  check_group(group2);
  Members members = group1->members;
  std::ranges::copy_if(group2->members, std::back_inserter(members), [&](Rank one) { return !has(*group1, one); });
  newgroup = make(std::move(members), group1->session ? *group1 : *group2);
}

void group_intersection(Group* group1, Group* group2, Group*& newgroup) {
  check_group(group1);
  check_group(group2);
  Members members;
  std::ranges::copy_if(group1->members, std::back_inserter(members), [&](Rank one) { return has(*group2, one); });
  newgroup = make(std::move(members), *group1);
}

void group_difference(Group* group1, Group* group2, Group*& newgroup) {
  check_group(group1);
  check_group(group2);
  Members members;
  std::ranges::copy_if(group1->members, std::back_inserter(members), [&](Rank one) { return !has(*group2, one); });
  newgroup = make(std::move(members), *group1);
}

void group_incl(Group* group, int n, const int* ranks, Group*& newgroup) {
  check_group(group);
  require(n >= 0, err_arg);
  newgroup = including(*group, {ranks, ranks + n});
}

void group_excl(Group* group, int n, const int* ranks, Group*& newgroup) {
  check_group(group);
  require(n >= 0, err_arg);
  newgroup = excluding(*group, {ranks, ranks + n});
}

void group_range_incl(Group* group, int n, const int (*ranges)[3], Group*& newgroup) {
  check_group(group);
  newgroup = including(*group, ranks_of(*group, n, ranges));
}

void group_range_excl(Group* group, int n, const int (*ranges)[3], Group*& newgroup) {
  check_group(group);
  newgroup = excluding(*group, ranks_of(*group, n, ranges));
}

void group_free(Group*& group) {
  check_group(group);
  if (group->is_predefined()) {
    group = nullptr;
    return;
  }
  release(group);
}

}  // namespace nasvm::mpi::api
