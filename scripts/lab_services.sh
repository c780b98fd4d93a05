# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # variables are for scripts/lab, which sources this, or come from it
# What runs in the hosts of a lab on demand: sshd, Slurm. scripts/lab sources this.

ssh_port=22
# Where lab_inside has found that hosts cannot run what lies in the lab's folder.
noexec="/dev/shm is mounted noexec, which root alone may change: mount -o remount,exec /dev/shm"

# Hosts reach each other by ssh from the first command on. Without sshd a script enters the hosts in its place.
prepare_remote_shell() {
  local lock
  exec {lock}>"$folder/lock"
  flock "$lock"
  if [[ ! -f $folder/remote_shell ]]; then
    if sshd_is_possible; then
      remove_ssh_files
      make_ssh_files
      start_sshds
      echo "ssh -F $folder/ssh_config" >"$folder/remote_shell"
    else
      make_stand_in_for_ssh
      [[ ! -e $folder/noexec ]] || say "the stand-in for ssh cannot run: $noexec"
      echo "$folder/rsh" >"$folder/remote_shell"
    fi
  fi
  exec {lock}>&-
  remote_shell=$(<"$folder/remote_shell")
}

# rsh HOST COMMAND...
make_stand_in_for_ssh() {
  printf '#!/usr/bin/env bash\nexec %q rsh %q "$@"\n' "$PWD/scripts/lab_inside" "$folder" >"$folder/rsh"
  chmod 700 "$folder/rsh"
}

# Root within a user namespace has nobody else's rights, which root's sshd wants to have.
sshd_is_possible() {
  [[ -x /usr/sbin/sshd ]] && command -v ssh ssh-keygen >/dev/null && [[ $user_namespace == no || $EUID -ne 0 ]]
}

# What there is of an exec that was interrupted before all hosts had their sshd.
remove_ssh_files() {
  [[ -d $folder/sshd ]] || return 0
  into_lab
  "${into[@]}" -- "$PWD/scripts/lab_inside" sshds_down "$folder" </dev/null >>"$folder/log" 2>&1
  rm -rf -- "$folder/sshd"
}

make_ssh_files() {
  local here=$folder/sshd number host address address6
  mkdir "$here"
  ssh-keygen -q -t ed25519 -N '' -C "lab $name" -f "$here/user_key" <<<y >/dev/null
  : >"$here/known_hosts"
  while read -r number host address address6 _; do
    ssh-keygen -q -t ed25519 -N '' -C "$host" -f "$here/host_key_$number" <<<y >/dev/null
    echo "$host,$host-ip6,$address,$address6 $(cut -d' ' -f1,2 "$here/host_key_$number.pub")" >>"$here/known_hosts"
    # SHLVL: bash reads no start file of the user's, which may be slow, and talk, in all hosts at once.
    # StrictModes would refuse keys below /dev/shm, where everybody may write; the lab's folder is its owner's alone.
    cat >"$here/config_$number" <<END
ListenAddress $address
ListenAddress $address6
Port $ssh_port
HostKey $here/host_key_$number
PidFile $here/pid_$number
AuthorizedKeysFile $here/user_key.pub
StrictModes no
AuthenticationMethods publickey
PermitRootLogin prohibit-password
UsePAM no
MaxStartups 1000
MaxSessions 1000
PrintMotd no
Subsystem sftp internal-sftp
SetEnv SHLVL=1 "NASVM_RSH=ssh -F $folder/ssh_config" "OMPI_MCA_plm_rsh_agent=ssh -F $folder/ssh_config"
END
  done <"$folder/table"
  cat >"$folder/ssh_config" <<END
# For the hosts of lab $name alone: ssh -F $folder/ssh_config HOST COMMAND
User $(id -un)
Port $ssh_port
IdentityFile $here/user_key
IdentitiesOnly yes
UserKnownHostsFile $here/known_hosts
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
BatchMode yes
ConnectTimeout 5
LogLevel ERROR
END
}

start_sshds() {
  into_lab
  "${into[@]}" -- "$PWD/scripts/lab_inside" sshds "$folder" "$(id -u)" "$(id -g)" 2>>"$folder/log" ||
    die "sshd does not start in the hosts: $(cat "$folder/sshd"/log_* "$folder/log" 2>/dev/null | tail -n 1)"
}

slurm_up() {
  local program why
  [[ ! -d $folder/slurm ]] || die "lab '$name' has Slurm already"
  [[ $user_namespace == no ]] || die "Slurm needs real root: its daemons change to other users"
  for program in slurmctld slurmd srun munged; do
    require "$program" "slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins" "slurm"
  done
  make_slurm_files
  "${into[@]}" -- "$PWD/scripts/lab_inside" slurm_up "$folder" </dev/null >>"$folder/log" 2>&1 || {
    why=$(why_slurm_does_not_start)
    slurm_down
    die "Slurm does not start: $why"
  }
}

# What one of its daemons has died of says more than what came of that.
why_slurm_does_not_start() {
  grep -hs 'fatal:' "$folder"/slurm/*.log | tail -n 1 | grep . || tail -n 1 "$folder/log"
}

slurm_down() {
  "${into[@]}" -- "$PWD/scripts/lab_inside" slurm_down "$folder" </dev/null >>"$folder/log" 2>&1
  rm -rf -- "$folder/slurm"
}

# The hosts see this folder as /etc/slurm. %n is a node's name.
make_slurm_files() {
  local here=$folder/slurm number host address
  mkdir "$here"
  (umask 077 && head -c 128 /dev/urandom >"$here/munge.key")
  cat >"$here/slurm.conf" <<END
ClusterName=$name
SlurmctldHost=${prefix}1
SlurmUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=$here
SlurmctldPidFile=$here/slurmctld.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdPidFile=$here/slurmd_%n.pid
SlurmdLogFile=$here/slurmd_%n.log
SlurmdSpoolDir=$here/spool_%n
TmpFS=$here/spool_%n
END
  while read -r number host address _; do
    mkdir "$here/spool_$host"
    echo "NodeName=$host NodeAddr=$address CPUs=$slots" >>"$here/slurm.conf"
  done <"$folder/table"
  echo "PartitionName=lab Nodes=ALL Default=YES State=UP" >>"$here/slurm.conf"
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=yes\n' >"$here/cgroup.conf"
}
