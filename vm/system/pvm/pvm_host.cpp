#include "vm/system/pvm/pvm_host.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>

#include "vm/process/environment.hpp"
#include "vm/process/programs.hpp"
#include "vm/status.hpp"

namespace nasvm {
namespace {

using namespace std::chrono_literals;

constexpr auto halt_patience = 1s;  ///< for PVM's daemon to end in good order
constexpr const char* default_user = "nobody";
constexpr std::uintmax_t room = 1U << 20;  ///< for its few small files

/// Whom PVM is to run as; none: this user.
std::optional<process::Account> account_for(const Parameters& parameters) {
  const auto given = parameters.find("user");
  if (::geteuid() != 0) {
    if (given == parameters.end() || given->second == ::geteuid()) return std::nullopt;
    throw UsageError("pvm:user=NAME: only root may run PVM as another user; leave it out");
  }
  const passwd* user =
      given == parameters.end() ? ::getpwnam(default_user) : ::getpwuid(static_cast<uid_t>(given->second));
  if (user == nullptr) {
    throw UsageError(fmt::format("PVM refuses root, and there is no user {}: name another one, pvm:user=NAME",
                                 given == parameters.end() ? default_user : fmt::format("number {}", given->second)));
  }
  if (user->pw_uid == 0) return std::nullopt;  // root was asked for, and PVM is told so
  return process::Account{user->pw_name, user->pw_uid, user->pw_gid};
}

/// By its own mode; the folders on its way do not matter (Session).
void check_executable(const std::string& program, const process::Account& account) {
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0) return;  // starting it says so
  const mode_t needed = status.st_uid == account.uid ? S_IXUSR : status.st_gid == account.gid ? S_IXGRP : S_IXOTH;
  if ((status.st_mode & needed) != 0) return;
  throw UsageError(
      fmt::format("transport pvm runs as user {}, because PVM refuses root, and that user may not execute {}: "
                  "chmod o+rx it, or name another user, pvm:user=NAME",
                  account.name, program));
}

/// The user's own PVM, if there is one, has other folders and is not seen.
std::vector<std::string> environment_for(std::span<const std::string> defaults, const std::string& folder) {
  auto variables = process::environment_without(
      {"PVM_TMP=", "PVM_VMID=", "PVM_EXPO", "PVM_ALLOW_ROOT=", "PVMSOCK=", "PVMEPID=", "PVMCTX=", "PVMT",
       "HOME=", system_protocol::order_variable},
      defaults);
  variables.push_back("PVM_TMP=" + folder);
  variables.push_back("HOME=" + folder);
  if (::geteuid() == 0) variables.push_back("PVM_ALLOW_ROOT=1");  // matters only where root was asked for
  return variables;
}

}  // namespace

std::string find_pvmd() {
  const char* root = std::getenv("PVM_ROOT");
  if (root != nullptr && ::access((std::string(root) + "/lib/pvmd").c_str(), X_OK) == 0) {
    return std::string(root) + "/lib/pvmd";
  }
  const std::string found = process::find_in_path("pvmd");
  if (found.empty()) {
    throw UsageError("transport pvm needs PVM's daemon pvmd, which is not in PATH: apt-get install pvm");
  }
  return found;
}

PvmHost::PvmHost(PvmShare share, net::Poller& poller, Hears hears)
    : share_(std::move(share)),
      poller_(poller),
      hears_(std::move(hears)),
      program_of_pvmd_(find_pvmd()),
      account_(account_for(share_.order.parameters)),
      folder_(room) {
  if (account_.has_value()) check_executable(share_.program, *account_);
  make_folder();
  environment_ = environment_for(share_.environment, pvm_folder_);
}

void PvmHost::make_folder() {
  pvm_folder_ = folder_.path() + "/pvm";
  const bool made = ::mkdir(pvm_folder_.c_str(), 0700) == 0 && ::chmod(folder_.path().c_str(), 0711) == 0 &&
                    (!account_.has_value() || ::chown(pvm_folder_.c_str(), account_->uid, account_->gid) == 0);
  if (!made) throw RunError("cannot make " + pvm_folder_ + ": " + std::strerror(errno));
}

process::StartOptions PvmHost::options_for(const std::string& program, std::vector<std::string> arguments) const {
  return {.program = program,
          .arguments = std::move(arguments),
          .environment = environment_,
          .death_signal = SIGTERM,
          .account = account_};
}

void PvmHost::start_pvmd(std::vector<std::string> arguments, int input) {
  auto options = options_for(program_of_pvmd_, std::move(arguments));
  options.input_from = input;
  pvmd_.emplace(std::move(options), poller_, hears_.pvmd, hears_.pvmd_error);
}

void PvmHost::start_tasks() {
  system_protocol::Order order = share_.order;
  for (const Rank rank : share_.ranks) {
    order.rank = rank;
    auto options = options_for(share_.program, share_.arguments);
    options.environment->push_back(system_protocol::to_variable(order));
    tasks_.push_back(std::make_unique<process::Job>(std::move(options), poller_, hears_.task, hears_.task_error));
  }
}

std::optional<int> PvmHost::task_ended(std::size_t place) {
  return place < tasks_.size() ? tasks_[place]->ended() : std::nullopt;
}

bool PvmHost::ending() const {
  return std::ranges::any_of(tasks_, [](const auto& task) { return task->ending(); });
}

void PvmHost::end() {
  tasks_.clear();
  if (pvmd_.has_value()) pvmd_->end(halt_patience);
  pvmd_.reset();
}

}  // namespace nasvm
