/// \file
/// Which level of the kernels runs, in builds that have several (docs/decisions/simd-levels.md).

#include "kernels/common/simd_level.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include "../fake_executor.hpp"
#include "support/process.hpp"
#include "support/skip.hpp"

using namespace nasvm;
using namespace nasvm::test;

namespace {

bool has_levels() {
  return run_process(built_program("nasvm"), {"info"}).out.find("kernels also for") != std::string::npos;
}

/// The best level of the build that this processor has.
std::string best_level() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
#endif
  return "x86-64";
}

/// The environment variable has that value while this lives.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Setting() { ::unsetenv(name_); }

 private:
  const char* name_;
};

Document measured() {
  const ProcessResult result = run_process(
      built_program("nasvm"), {"run", "all", "--class", "S", "--np", "3", "--transport", "auto", "--format", "json"});
  INFO(result.err);
  REQUIRE(result.exit_status == 0);
  return from_json(result.out, "standard output");
}

}  // namespace

TEST_CASE("simd level: it has a name") { CHECK_FALSE(simd_level().empty()); }

TEST_CASE("simd level: a build of several levels takes the best that the processor has") {
  if (!has_levels()) return skip("a build for this processor alone has no levels");
  CHECK(measured().build.simd == best_level());
}

TEST_CASE("simd level: a lower level can be forced, and verifies") {
  if (!has_levels()) return skip("a build for this processor alone has no levels");
  struct Forced {
    const char* level;
    const char* tunable;
  };
  const auto forced = GENERATE(
      values<Forced>({{"x86-64-v3", "glibc.cpu.hwcaps=-AVX512F"}, {"x86-64", "glibc.cpu.hwcaps=-AVX512F,-AVX2"}}));
  if (std::string(forced.level) > best_level()) return skip("this processor has no " + std::string(forced.level));
  const Setting setting("GLIBC_TUNABLES", forced.tunable);
  CHECK(measured().build.simd == forced.level);
}
