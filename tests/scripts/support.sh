# shellcheck shell=bash
# shellcheck disable=SC2034  # variables are for the tests that source this
# Shared by the tests of scripts/, which source it first: a scratch folder that vanishes at the end, and checks.

set -euo pipefail
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES MAKE_KERNEL MAKE_CLASS MAKE_NP MAKE_TRANSPORT MAKE_THREADS \
  MAKE_RUNS MAKE_HOSTFILE MAKE_OUT MAKE_ARGS MAKE_JOBS MAKE_SETUP MAKE_PREFIX MAKE_DESTDIR
source_tree=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/nasvm test.XXXXXX")  # with a space: every path must be quoted
trap 'rm -rf -- "$scratch"' EXIT
failures=0
left_out=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# leave_out WHAT: a part that cannot be carried out here
leave_out() {
  printf 'left out: %s\n' "$*"
  left_out=$((left_out + 1))
}

# no_lab_here TEXT: scripts/lab says there that this system can have none. Any other reason is a failure.
no_lab_here() {
  [[ $1 == *"no namespaces can be made here"* || $1 == *"a lab needs ip"* ]]
}

# expect WHAT ACTUAL EXPECTED
expect() {
  [[ $2 == "$3" ]] || fail "$1"$'\n  is:        '"$2"$'\n  should be: '"$3"
}

# expect_text WHAT TEXT PART: the text contains the part
expect_text() {
  [[ $2 == *"$3"* ]] || fail "$1"$'\n  lacks: '"$3"$'\n  in:    '"$2"
}

# Runs a command; its output is in $output, its exit status in $status.
run() {
  status=0
  output=$("$@" 2>&1) || status=$?
}

# A test that has left something out counts as skipped, as test cases in C++ do (tests/support/skip.hpp).
finish() {
  [[ $failures -eq 0 ]] || exit 1
  [[ $left_out -eq 0 ]] || exit 77
  echo "all well"
}
