# Completion of nasvm for bash: what `nasvm --help` and `nasvm COMMAND --help` name, so that it is never behind.

# The names in the first column of a help text's list, indented by two.
_nasvm_names() { "$@" --help 2>/dev/null | sed -n "/^Subcommands:/,/^\$/s/^  \([a-z0-9]*\) .*/\1/p"; }
_nasvm_options() { "$@" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-zA-Z0-9][a-zA-Z0-9-]*' | tr -d ' ,' | sort -u; }

_nasvm() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} candidates
  program=${program/#\~\//"$HOME"/}  # as typed, nobody has expanded it
  if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then
    candidates=$(_nasvm_names "$program")
  elif [[ $word == -* ]]; then
    if ((COMP_CWORD == 1)); then candidates=$(_nasvm_options "$program"); else candidates=$(_nasvm_options "$program" "$command"); fi
  elif [[ $command == run && $COMP_CWORD -eq 2 ]]; then
    candidates="all ep mg cg ft is"
  else
    compopt -o filenames  # here alone: a folder may be called as a command is
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
}
complete -F _nasvm nasvm
