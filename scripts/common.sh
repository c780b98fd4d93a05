# shellcheck shell=bash
# shellcheck disable=SC2034  # `words` is for the scripts that source this
# Shared by the scripts beside it, which source it first: strict mode, the project's top as working directory (by its
# real path, which builds know it by), and a few functions. Everything said here goes to standard error; standard
# output belongs to results.

set -euo pipefail
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

say() { printf 'nasvm: %s\n' "$*" >&2; }

# Something outside the project is not as it must be: one line, exit status 2.
die() {
  say "$@"
  exit 2
}

# Splits $1 into words as a shell would (quotes and backslashes, but no expansion), into the array `words`.
split_words() {
  local split
  words=()
  [[ -n $1 ]] || return 0
  split=$(mktemp)
  if ! printf '%s\n' "$1" | xargs -r printf '%s\0' >"$split" 2>/dev/null; then
    rm -f "$split"
    die "cannot split into words: $1 (a quote is not closed?)"
  fi
  mapfile -d '' -t words <"$split"
  rm -f "$split"
}

# Prints how many compile jobs there may be: MAKE_JOBS, CMake's own CMAKE_BUILD_PARALLEL_LEVEL, or as many as cores,
# but no more than one for each GB of memory that is free.
job_count() {
  local cores gigabytes
  cores=$(nproc)
  gigabytes=$(awk '/^MemAvailable:/ { print int($2 / 1000000) }' /proc/meminfo 2>/dev/null || true)
  : "${gigabytes:=$cores}"
  ((gigabytes > 0)) || gigabytes=1
  echo "${MAKE_JOBS:-${CMAKE_BUILD_PARALLEL_LEVEL:-$((cores < gigabytes ? cores : gigabytes))}}"
}
