#include "vm/abi/mpi/standard/large.hpp"

namespace nasvm::mpi::face {

Many::Many(long long count, void* type) : type_(object<Datatype, Kind::type>(type)) {
  const bool fits = count <= std::numeric_limits<int>::max();
  if (fits || type_ == nullptr || !type_->committed || !type_->is_dense(2)) {
    count_ = narrow<int>(count);
    return;
  }
  require(type_->bytes == 0 || count <= std::numeric_limits<std::ptrdiff_t>::max() / type_->extent(), err_count);
  TypeBuilder builder;
  builder.add(*type_, 0, count);
  Datatype* made = builder.finish(combiner_contiguous, {}, {}, {type_});
  made->committed = true;
  made_ = Ref<Datatype>(made);
  type_ = made;
  count_ = 1;
  release(made);
}

int counts_at_root(void* comm, int root) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  if (found == nullptr) return 0;
  const bool is_root = found->is_inter() ? root == root_here : root == found->rank();
  return is_root ? found->peers() : 0;
}

int own_ranks_of(void* comm) {
  const Communicator* found = object<Communicator, Kind::comm>(comm);
  return found == nullptr ? 0 : found->size();
}

}  // namespace nasvm::mpi::face
