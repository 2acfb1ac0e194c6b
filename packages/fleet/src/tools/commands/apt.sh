# shellcheck shell=sh
# The package manager without questions. What it says is read here, in one language, and never leaves the machine. Its output
# goes to a variable and not to the connection: when that breaks, it continues to its end, and the repeat waits for it.
DEBIAN_FRONTEND=noninteractive
APT_LISTCHANGES_FRONTEND=none
NEEDRESTART_SUSPEND=1
export DEBIAN_FRONTEND APT_LISTCHANGES_FRONTEND NEEDRESTART_SUSPEND
umask 022
lock_seconds=60

# Without a terminal of its own, a package that asks a question gets no answer instead of waiting for one.
apt() {
  said=$(apt-get -q -y -o DPkg::Lock::Timeout="$lock_seconds" -o Acquire::Retries=2 -o Dpkg::Use-Pty=0 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" 2>&1 >/dev/null </dev/null)
}
# A machine that lost its power in the middle has packages that only this can finish.
finish_interrupted() {
  if [ -n "$(ls -A /var/lib/dpkg/updates)" ] ||
    dpkg-query -W -f '${db:Status-Status}\n' | grep -qv -e '^installed$' -e '^config-files$' -e '^not-installed$'; then
    said=$(dpkg --configure -a --force-confdef --force-confold 2>&1 >/dev/null </dev/null)
  fi
}
# The lock of the package lists is not waited for by apt itself.
update() {
  tries=0
  until apt update; do
    tries=$((tries + 1))
    [ "$tries" -lt 4 ] || return 1
    case $said in *'Could not get lock'*) sleep 5 ;; *) return 1 ;; esac
  done
}
why() {
  case $said in
    *'Could not get lock'* | *'Unable to lock'* | *'dpkg frontend lock'* | *'is another process using it'*)
      # Who it was is not in the error after apt waited: it is asked once more, without waiting.
      field holder "$(apt-get -q -o DPkg::Lock::Timeout=0 check 2>&1 </dev/null |
        sed -n 's/.*held by process \([0-9]*\) (\(.*\)).*/\1 \2/p' | tail -n 1)"
      refuse locked
      ;;
    *'No space left'* | *'enough free space'*) refuse disk_full ;;
    *'Held packages were changed'*) refuse held ;;
    *'Unable to locate package'* | *'no installation candidate'*) refuse unavailable ;;
    *) refuse failed ;;
  esac
}
