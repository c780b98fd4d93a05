# shellcheck shell=bash
# shellcheck disable=SC2034  # variables are for scripts/lab, which sources this
# What scripts/lab knows of labs: a folder for each, which of them live, and how they end.

registry=/dev/shm/nasvm-labs-$EUID

# Nobody else may have a hand in it: what it says of labs is carried out.
own_registry() {
  [[ -d $registry && ! -L $registry && -O $registry && $(stat -c %a -- "$registry" 2>/dev/null) == 700 ]]
}
refuse_registry() { die "$registry is not a folder of yours alone (mode 700): remove it"; }

# Is there one? What is not the user's own ends the script.
has_registry() {
  if own_registry; then return 0; fi  # in a trap, `return` alone would return the script's status
  [[ ! -e $registry && ! -L $registry ]] || refuse_registry
  return 1
}

open_registry() {
  while :; do
    mkdir -m 700 -- "$registry" 2>/dev/null || true
    own_registry || refuse_registry
    { exec {registry_lock}>"$registry/lock"; } 2>/dev/null || continue
    flock "$registry_lock"
    # The last lab's end may have removed it in the meantime.
    [[ ! $registry/lock -ef /proc/self/fd/$registry_lock ]] || return 0
    exec {registry_lock}>&-
  done
}
close_registry() { exec {registry_lock}>&-; }

labs() {
  local folder
  has_registry || return 0
  for folder in "$registry"/*/; do  # none: the pattern itself
    if [[ -d $folder ]]; then basename -- "$folder"; fi
  done
}

# same_process FILE: prints the process that FILE names by number and time of its start; fails when it has ended. (In a
# trap, `return` without a status would return the script's.)
same_process() {
  local pid start fields
  read -r pid start 2>/dev/null <"$1" || return 1
  read -r -a fields 2>/dev/null <"/proc/$pid/stat" || return 1
  # The name, second of the fields, has no spaces: it is the script's.
  [[ ${fields[21]} == "$start" && ${fields[2]} != Z ]] && echo "$pid"
}

# Prints the number of the process outside of the lab with that folder that has started its keeper, $2; nothing when
# that has gone.
starter_of_keeper() {
  local fields
  read -r -a fields 2>/dev/null <"/proc/$2/stat" || return 0
  if grep -qsF -- "$1" "/proc/${fields[3]}/cmdline"; then echo "${fields[3]}"; fi
}

# Ends lab $1 and forgets it; with the registry's lock.
end_lab() {
  local folder=$registry/$1 pid hostfile waited control_group starter
  if pid=$(same_process "$folder/keeper"); then
    starter=$(starter_of_keeper "$folder" "$pid")
    kill -KILL "$pid" 2>/dev/null || true
    # The system ends all processes of the lab first, and its starter ends after it.
    for ((waited = 0; waited < 1500; ++waited)); do
      same_process "$folder/keeper" >/dev/null || grep -qsF -- "$folder" "/proc/${starter:-none}/cmdline" || break
      sleep 0.02
    done
    ! same_process "$folder/keeper" >/dev/null || die "lab '$1' does not end: a process in it hangs in the system"
  fi
  for control_group in "$folder"/control_group_*; do
    if [[ -f $control_group ]]; then rmdir -- "$(<"$control_group")"; fi
  done
  if hostfile=$(cat -- "$folder/hostfile_path" 2>/dev/null) && cmp -s -- "$hostfile" "$folder/hostfile"; then
    rm -f -- "$hostfile"
  fi
  rm -rf -- "$folder"
  if [[ -z $(labs) ]]; then
    restore_limits
    rm -rf -- "$registry"
  fi
}

# Labs that have died, that were never finished, and those for one command whose command is gone: `maker` is who makes a
# lab, and stays with it for that one command.
sweep() {
  local name life
  for name in $(labs); do
    life=$registry/$name/keeper
    if [[ -f $registry/$name/maker ]]; then life=$registry/$name/maker; fi
    same_process "$life" >/dev/null || end_lab "$name"
  done
}

# What belongs to the whole system, not to a host, and is too little for many hosts: all frames wait in one queue for
# each core, which by default is short; and all hosts' neighbours stand in one table, of 1024: 31 hosts that all talk to
# each other have 930, and a neighbour that has no place there cannot be sent to.
declare -A limits=(
  [net/core/netdev_max_backlog]=50000
  [net/ipv4/neigh/default/gc_thresh3]=65536
  [net/ipv4/neigh/default/gc_thresh2]=32768
  [net/ipv6/neigh/default/gc_thresh3]=65536
  [net/ipv6/neigh/default/gc_thresh2]=32768
)
saved_limit() { echo "$registry/limit_${1//\//.}"; }
raise_limits() {
  local name before
  for name in "${!limits[@]}"; do
    before=$(cat "/proc/sys/$name" 2>/dev/null) || continue
    if [[ -f $(saved_limit "$name") ]] || ((before >= limits[$name])); then continue; fi
    if echo "${limits[$name]}" 2>/dev/null >"/proc/sys/$name"; then echo "$before" >"$(saved_limit "$name")"; fi
  done
}
restore_limits() {
  local name
  for name in "${!limits[@]}"; do
    if [[ -f $(saved_limit "$name") ]]; then cat "$(saved_limit "$name")" >"/proc/sys/$name"; fi
  done
}
# Those that are too small still, and nobody could raise.
low_limits() {
  local name
  for name in "${!limits[@]}"; do
    (($(cat "/proc/sys/$name" 2>/dev/null || echo "${limits[$name]}") >= limits[$name])) || echo "${name//\//.}"
  done
}

# Reads the settings of lab $name, which has to be up.
find_lab() {
  local others
  folder=$registry/$name
  if ! has_registry || ! keeper=$(same_process "$folder/keeper") || [[ ! -f $folder/table ]]; then
    others=$(labs 2>/dev/null | grep -vx -- "$name" | paste -sd ' ' || true)
    die "there is no lab '$name'${others:+ (but: $others)}: scripts/lab up N --name $name"
  fi
  # shellcheck source=/dev/null
  source "$folder/settings"
}
