# shellcheck shell=bash
# shellcheck disable=SC2034  # `words` is for the scripts that source this
# Shared by the scripts beside it, which source it first: strict mode, the project's top as working directory, and
# a few functions. Everything said here goes to standard error; standard output belongs to results.

set -euo pipefail
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

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
