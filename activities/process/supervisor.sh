# Runs one command in its control directory and outlives whoever started it: start record, output, exit status.
# Must never start a command that another supervisor has started, nor die of HUP, INT, QUIT or TERM before the status is written.
# Holds no lock: the record is created exclusively, names its writer, and is whole before the command begins, so pid, start time and boot
# prove life at any moment; a lock could say no more. A record that is not whole, or whose writer died before it, never starts anything again.
# Called as: sh -c "$TEXT" pdlc-supervisor <control dir> <cwd> <lock limit> <control group or nothing> <command> [args...], with PDLC_MARK in the environment.

cd "$1" && [ ! -e started ] || exit 1
pdlc_cwd=$2
# The mark that no cleared environment takes off (mark.ts); dash has another letter for it than other shells.
[ ! -r /proc/self/limits ] || { ulimit -S -x "$3" || ulimit -S -w "$3"; } 2> /dev/null
# All that follows is born into the attempt's own control group, where there is one.
[ -z "$4" ] || { echo 0 > "$4/cgroup.procs"; } 2> /dev/null
shift 4
pdlc_umask=$(umask)
umask 077
trap '' HUP INT QUIT TERM

# Sets pid and kernel start time of the shell that calls it, and the boot id. With /proc no further process is started.
pdlc_identify() {
  if [ -r /proc/self/stat ]; then
    read -r pdlc_stat < /proc/self/stat
    pdlc_pid=${pdlc_stat%% *}
    set -- ${pdlc_stat##*) }
    pdlc_start=${20}
    read -r pdlc_boot < /proc/sys/kernel/random/boot_id
  else
    pdlc_pid=$(exec /bin/sh -c 'echo $PPID')
    set -- $(TZ=UTC0 LC_ALL=C PATH=/bin:/usr/bin ps -o lstart= -p "$pdlc_pid")
    pdlc_start=$*
    pdlc_boot=$(PATH=/usr/sbin:/sbin sysctl -n kern.bootsessionuuid)
  fi
}

pdlc_identify
pdlc_supervisor="\"supervisor\":{\"pid\":$pdlc_pid,\"startTime\":\"$pdlc_start\"}"

# In the foreground, because a background command would ignore INT and QUIT for good.
(
  trap - HUP INT QUIT TERM
  pdlc_identify
  # Noclobber creates the record exclusively: the command runs only in the process that its record names.
  set -C
  { printf '{"pid":%s,"startTime":"%s","bootId":"%s","token":"%s",%s}\n' \
    "$pdlc_pid" "$pdlc_start" "$pdlc_boot" "$PDLC_MARK" "$pdlc_supervisor" > started; } 2> /dev/null || exit 1
  set +C
  umask "$pdlc_umask"
  cd "$pdlc_cwd" 2> /dev/null || { echo "pdlc: the working directory is gone: $pdlc_cwd" >&2; exit 126; }
  unset OLDPWD
  exec "$@"
) < prompt >> out 2>> err
pdlc_status=$?

read -r pdlc_record < started || exit 1
case $pdlc_record in *"$pdlc_supervisor"*) ;; *) exit 1 ;; esac

# The record was laid out beforehand and is overwritten in place, so that a full disk cannot lose the status.
PATH=/usr/bin:/bin:$PATH
printf '{"status":%s}' "$pdlc_status" 1<> result.next
sync -d result.next 2> /dev/null
exec mv -f result.next result
