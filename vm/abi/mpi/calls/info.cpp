// MPI-3.1, chapter 9: info objects.

#include <algorithm>
#include <cstring>

#include "mpi_api.hpp"
#include "vm/abi/mpi/failure.hpp"
#include "vm/abi/mpi/info.hpp"
#include "vm/abi/mpi/predefined.hpp"

namespace nasvm::mpi::api {
namespace {

auto find(Info& info, const char* key) {
  return std::ranges::find(info.entries, key, &decltype(info.entries)::value_type::first);
}

void check(const Info* info, const char* key) {
  require(info != nullptr, err_info);
  require(key != nullptr && *key != '\0' && std::strlen(key) < max_info_key, err_info_key);
}

}  // namespace

void info_create(Info*& info) { info = new Info; }

/// Nothing is known of what tasks are bound to.
void get_hw_resource_info(Info*& info) { info = new Info; }

void info_create_env(int argc, char** argv, Info*& info) {
  info = new Info;
  info->entries = environment_info().entries;
  if (argc <= 0 || argv == nullptr || argv[0] == nullptr) return;
  std::string rest;
  for (int i = 1; i < argc && argv[i] != nullptr; ++i) rest += (i > 1 ? " " : "") + std::string(argv[i]);
  for (const auto& [key, value] : {std::pair<const char*, std::string>{"command", argv[0]}, {"argv", rest}}) {
    std::erase_if(info->entries, [&](const auto& entry) { return entry.first == key; });
    info->entries.emplace_back(key, value);
  }
}

void info_dup(Info* info, Info*& newinfo) {
  require(info != nullptr, err_info);
  newinfo = new Info;
  newinfo->entries = info->entries;
}

void info_free(Info*& info) {
  require(info != nullptr && !info->is_predefined(), err_info);
  release(info);
}

void info_set(Info* info, const char* key, const char* value) {
  check(info, key);
  require(value != nullptr && std::strlen(value) < max_info_value, err_info_value);
  set_entry(info->entries, key, value);
}

void info_get(Info* info, const char* key, int length, char* value, int* flag) {
  check(info, key);
  const auto found = find(*info, key);
  *flag = found != info->entries.end() ? 1 : 0;
  if (*flag == 0) return;
  const std::string text = found->second.substr(0, static_cast<std::size_t>(std::max(length, 0)));
  std::memcpy(value, text.c_str(), text.size() + 1);
}

void info_get_string(Info* info, const char* key, int* length, char* value, int* flag) {
  check(info, key);
  const auto found = find(*info, key);
  *flag = found != info->entries.end() ? 1 : 0;
  if (*flag == 0) return;
  // The room that there is, with the byte that ends a text; and what it would take.
  const auto room = static_cast<std::size_t>(std::max(*length, 0));
  if (room > 0) {
    const std::string text = found->second.substr(0, room - 1);
    std::memcpy(value, text.c_str(), text.size() + 1);
  }
  *length = static_cast<int>(found->second.size()) + 1;
}

void info_get_valuelen(Info* info, const char* key, int* length, int* flag) {
  check(info, key);
  const auto found = find(*info, key);
  *flag = found != info->entries.end() ? 1 : 0;
  if (*flag != 0) *length = static_cast<int>(found->second.size());
}

void info_get_nkeys(Info* info, int* nkeys) {
  require(info != nullptr, err_info);
  *nkeys = static_cast<int>(info->entries.size());
}

void info_get_nthkey(Info* info, int n, char* key) {
  require(info != nullptr, err_info);
  require(n >= 0 && n < static_cast<int>(info->entries.size()), err_arg);
  const std::string& text = info->entries[static_cast<std::size_t>(n)].first;
  std::memcpy(key, text.c_str(), text.size() + 1);
}

void info_delete(Info* info, const char* key) {
  check(info, key);
  const auto found = find(*info, key);
  require(found != info->entries.end(), err_info_no_key);
  info->entries.erase(found);
}

}  // namespace nasvm::mpi::api
