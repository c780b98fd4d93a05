#include "vm/machine_modes.hpp"

#include <catch2/catch.hpp>

using namespace nasvm;

TEST_CASE("machine modes: the mode in brackets is the one that is on") {
  CHECK(chosen_mode("always [madvise] never") == "madvise");
  CHECK(chosen_mode("[always] madvise never") == "always");
  CHECK(chosen_mode("always").empty());
  CHECK(chosen_mode("]always[").empty());
  CHECK(chosen_mode("").empty());
}

TEST_CASE("machine modes: hypervisors have their usual names, unknown ones their signature") {
  using namespace std::string_view_literals;
  CHECK(hypervisor_name("KVMKVMKVM\0\0\0"sv) == "KVM");
  CHECK(hypervisor_name("Microsoft Hv"sv) == "Hyper-V");
  CHECK(hypervisor_name("ACRNACRNACRN"sv) == "ACRNACRNACRN");
  CHECK(hypervisor_name("\0\0\0\0\0\0\0\0\0\0\0\0"sv) == "unknown");
}

TEST_CASE("machine modes: this machine tells without an error") { CHECK_NOTHROW(machine_modes()); }
