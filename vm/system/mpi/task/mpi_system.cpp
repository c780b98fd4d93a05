#include "vm/system/message_system.hpp"
#include "vm/system/mpi/mpi_parameters.hpp"
#include "vm/system/mpi/task/mpi_endpoint.hpp"
#include "vm/system/mpi/task/mpi_file.hpp"

namespace nasvm {
namespace {

/// MPI from its initialization to its end.
class Session {
 public:
  Session() {
    int level = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~Session() {
    // After an error the others may never come to an orderly end.
    if (finished) MPI_Finalize();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool finished = false;
};

class MpiSystem final : public MessageSystem {
 public:
  explicit MpiSystem(bool native_collectives) : endpoint_(native_collectives) {}
  Endpoint& endpoint() override { return endpoint_; }
  std::unique_ptr<SharedFile> open_shared(const std::string& path, SharedFile::Access access) override {
    return open_mpi_file(path, access);
  }
  void finish() override { session_.finished = true; }
  void abandon(int exit_status) override { MPI_Abort(MPI_COMM_WORLD, exit_status); }

 private:
  Session session_;
  MpiEndpoint endpoint_;
};

}  // namespace

std::unique_ptr<MessageSystem> join_message_system(const Seat& seat) {
  const auto collectives = value_of(seat.parameters, "collectives", 0);
  return std::make_unique<MpiSystem>(mpi_collectives[collectives] == "mpi");
}

}  // namespace nasvm
