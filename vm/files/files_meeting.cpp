// Files: how tasks meet in collective calls.

#include <algorithm>
#include <exception>

#include "vm/files/files.hpp"

namespace nasvm::files {

using namespace std::chrono_literals;

Outcome Files::meet(const std::string& call, std::vector<std::int64_t> values, std::string text,
                    const std::optional<FileError>& error) {
  ++own_calls_;
  close_cursors();
  const std::uint64_t number = ++call_;
  outcome_.reset();
  arrived_.reset();
  has_asked_who_ = false;
  Arrival arrival{call, std::move(values), std::move(text), 0, {}};
  if (error.has_value()) {
    arrival.code = error->code();
    arrival.error = error->what();
  }
  std::vector<std::byte> message;
  if (is_self(0)) {
    settle(gathering_.arrive(0, number, std::move(arrival)), number);
  } else {
    message = encode({.kind = Kind::arrive, .number = number}, pack(arrival).bytes());
    line_.post(0, message);
  }

  Absence absence;
  absence_ = &absence;
  try {
    while (!line_.wait_until([this] { return outcome_.has_value() || left_[0]; },
                             std::chrono::steady_clock::now() + Absence::asks_every)) {
      look_for_absent(call, message, absence);
    }
    if (!outcome_.has_value()) throw FileError(ETIMEDOUT, call + ": task 0 has ended");
  } catch (...) {
    absence_ = nullptr;
    throw;
  }
  absence_ = nullptr;
  if (outcome_->code != 0) throw FileError(outcome_->code, outcome_->error);
  return *outcome_;
}

/// The first of those that have come asks the others.
void Files::look_for_absent(const std::string& call, const std::vector<std::byte>& message, Absence& absence) {
  if (is_self(0)) {
    arrived_ = gathering_.arrived(call_);
  } else if (is_gone(0)) {
    throw FileError(ETIMEDOUT, call + ": task 0 has ended");
  } else if (!has_asked_who_ || arrived_.has_value()) {
    // Where task 0 knows nothing of it, its part before this one has heard it.
    if (arrived_.has_value() && std::ranges::find(*arrived_, line_.rank()) == arrived_->end()) line_.post(0, message);
    has_asked_who_ = true;
    line_.post(0, encode({.kind = Kind::who, .number = call_}));
  }
  if (!arrived_.has_value() || arrived_->empty() || !is_self(arrived_->front())) return;
  std::vector<int> missing;
  for (int task = 0; task < line_.size(); ++task) {
    if (std::find(arrived_->begin(), arrived_->end(), task) != arrived_->end()) continue;
    missing.push_back(task);
    if (is_gone(task)) absence.lose(task);
    else if (absence.ask(task, std::chrono::steady_clock::now())) line_.post(task, encode({.kind = Kind::where}));
  }
  const std::string verdict = absence.verdict(missing);
  if (verdict.empty()) return;
  if (is_self(0)) settle(gathering_.give_up(call_, verdict), call_);
  else line_.post(0, encode({.kind = Kind::give_up, .number = call_}, std::string_view(verdict)));
}

void Files::settle(const std::optional<Gathering::Settled>& settled, std::uint64_t number) {
  if (!settled.has_value()) return;
  const auto message = encode({.kind = Kind::outcome, .number = number}, pack(settled->outcome).bytes());
  for (const int receiver : settled->receivers) {
    if (is_self(receiver)) hear_of_outcome(number, settled->outcome);
    else line_.post(receiver, message);
  }
}

void Files::hear_of_call(int from, const Note& note, std::span<const std::byte> body) {
  const auto packed = [&] { return PackBuffer(std::vector<std::byte>(body.begin(), body.end())); };
  switch (note.kind) {
    case Kind::arrive:
      settle(gathering_.arrive(from, note.number, unpack_arrival(packed())), note.number);
      break;
    case Kind::outcome:
      hear_of_outcome(note.number, unpack_outcome(packed()));
      break;
    case Kind::who: {
      PackBuffer list;
      list.pack(gathering_.arrived(note.number));
      line_.post(from, encode({.kind = Kind::here, .number = note.number}, list.bytes()));
      break;
    }
    case Kind::here: {
      if (note.number != call_) break;
      PackBuffer list = packed();
      arrived_.emplace(list.next_count());
      list.unpack(*arrived_);
      break;
    }
    case Kind::where:
      if (!line_.is_waiting()) line_.post(from, encode({.kind = Kind::working}));
      else line_.post(from, encode({.kind = Kind::waiting, .bytes = line_.calls() + own_calls_}));
      break;
    case Kind::waiting:
      if (absence_ != nullptr) absence_->hear(from, note.bytes, std::chrono::steady_clock::now());
      break;
    case Kind::working:
      if (absence_ != nullptr) absence_->hear_working(from);
      break;
    case Kind::give_up:
      settle(gathering_.give_up(note.number, std::string(text_of(body))), note.number);
      break;
    case Kind::left:
      hear_of_end(from, note.number);
      break;
    default:
      break;
  }
}

/// Task 0 has to know, for it keeps the list, and all have to know of task 0. The others hear of the rest where files
/// are open: they may wait for blocks. Each tells that itself, for task 0 may have ended before.
void Files::leave() noexcept {
  if (!line_.ends_silently() || std::uncaught_exceptions() > 0) return;  // or the run ends
  try {
    const Inside inside(*this);
    const auto message = encode({.kind = Kind::left, .number = session_});
    const bool has_files = std::ranges::any_of(files_, [](const auto& file) { return file != nullptr; });
    const int told = is_self(0) || has_files ? line_.size() : 1;
    for (int task = 0; task < told; ++task) {
      if (!is_self(task)) line_.post(task, message);
    }
    for (int task = 0; task < line_.size(); ++task) line_.forget(task);
  } catch (const std::exception&) {
    // Nor will anything else of this task reach anybody.
  }
}

/// A part in an earlier session has ended before.
void Files::hear_of_end(int from, std::uint64_t session) {
  if (session == 0 || session != session_) return;
  if (is_self(0)) {
    for (const auto& [number, settled] : gathering_.leave(from)) settle(settled, number);
  }
  left_[static_cast<std::size_t>(from)] = true;
  line_.forget(from);
}

/// The first call of a session brings its number: the most of what its tasks have counted, so that none is that of a
/// session before.
void Files::hear_of_outcome(std::uint64_t number, const Outcome& outcome) {
  if (number == 1 && outcome.most.size() == 2) session_ = static_cast<std::uint64_t>(outcome.most[1]);
  if (number == call_) outcome_ = outcome;
}

}  // namespace nasvm::files
