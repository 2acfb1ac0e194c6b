#!/bin/sh
# A service manager whose units are files below $FAKE/etc/systemd/system, or names in $FAKE/systemd/foreign. What runs has a
# file in $FAKE/systemd/active; a program that reports itself is a process that sleeps. Scripts ask for states all the time, so
# no process is begun for what the shell can do.
echo "$*" >>"$FAKE/calls"
verb=""
units=""
now=""
property=""
for word; do
  case $word in
    --now) now=yes ;;
    --property=*) property=${word#*=} ;;
    -q | --quiet) exec >/dev/null ;;
    -*) ;;
    *) if [ -z "$verb" ]; then verb=$word; else units="$units $word"; fi ;;
  esac
done
state=$FAKE/systemd
file() { path=$FAKE/etc/systemd/system/$1; }
# The last value of a setting of a unit, in `value`.
setting() {
  value=''
  file "$1"
  [ -e "$path" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in "$2="*) value=${line#*=} ;; esac
  done <"$path"
}
exists() {
  file "$1"
  [ -e "$path" ] || [ -e "$state/foreign/$1" ]
}
# In `pid`.
pid_of() { { read -r pid <"$state/pid/$1"; } 2>/dev/null || pid=0; }
remove() { for path; do [ ! -e "$path" ] || rm -f "$path"; done; }
stop() {
  [ ! -e "$state/stuck/$1" ] || return 1
  pid_of "$1"
  [ "$pid" = 0 ] || kill "$pid" 2>/dev/null
  remove "$state/pid/$1" "$state/active/$1"
  setting "$1" RuntimeDirectoryPreserve
  [ -z "$value" ] || return 0
  setting "$1" RuntimeDirectory
  [ -z "$value" ] || rm -rf "${FAKE:?}/run/$value"
}
start() {
  exists "$1" && [ ! -e "$state/masked/$1" ] || return 5
  if [ -e "$state/limited/$1" ]; then : >"$state/failed/$1"; return 1; fi
  # Such a file may hold a text: a unit with it starts all the same.
  if [ -e "$state/broken/$1" ] && ! { [ -s "$state/broken/$1" ] && grep -qFf "$state/broken/$1" "$path"; }; then
    [ ! -e "$state/message/$1" ] || cat "$state/message/$1" >>"$state/journal/$1"
    : >"$state/failed/$1"
    return 1
  fi
  remove "$state/failed/$1"
  : >"$state/active/$1"
  : >"$state/environment/$1"
  file "$1"
  began=''
  if [ -e "$path" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      case $line in
        EnvironmentFile=*)
          [ ! -e "$FAKE${line#*=}" ] || cat "$FAKE${line#*=}" >>"$state/environment/$1" ;;
        ExecStart=*--configuration=*) began=${line##*--configuration=} ;;
      esac
    done <"$path"
  fi
  [ -n "$began" ] || return 0
  setsid sleep 300 </dev/null >/dev/null 2>&1 &
  echo "$!" >"$state/pid/$1"
  setting "$1" RuntimeDirectory
  runtime=$FAKE/run/$value
  mkdir -p "$runtime"
  [ -e "$state/mute/$1" ] || echo "$! $began" >"$runtime/ready"
}
word_for() {
  case $verb in
    is-active) if [ -e "$state/reloading/$1" ]; then echo reloading; elif [ -e "$state/active/$1" ]; then echo active; else echo inactive; return 3; fi ;;
    is-enabled) if [ -e "$state/enabled/$1" ]; then echo enabled; else echo disabled; return 1; fi ;;
    is-failed) [ -e "$state/failed/$1" ] ;;
  esac
}
# One more each time that it is asked, for a unit that ends and starts again in between.
restarts() {
  count=0
  [ -e "$state/restarting/$1" ] || return 0
  read -r count <"$state/restarting/$1" || [ -n "$count" ] || return 0
  echo $((count + 1)) >"$state/restarting/$1"
}
properties() {
  for name in Id LoadState ActiveState SubState Result ExecMainStatus NRestarts CPUUsageNSec MemoryCurrent; do
    case ,$property, in *",$name,"*) ;; *) continue ;; esac
    case $name in
      Id) value=$1 ;;
      LoadState) if exists "$1"; then value=loaded; else value=not-found; fi ;;
      ActiveState)
        if [ -e "$state/loop/$1" ]; then value=activating
        elif [ -e "$state/failed/$1" ]; then value=failed
        elif [ -e "$state/reloading/$1" ]; then value=reloading
        elif [ -e "$state/active/$1" ]; then value=active
        else value=inactive; fi ;;
      SubState)
        if [ -e "$state/loop/$1" ]; then value=auto-restart
        elif [ -e "$state/failed/$1" ]; then value=failed
        else value=dead; fi ;;
      Result) if [ -e "$state/failed/$1" ]; then value=exit-code; else value=success; fi ;;
      ExecMainStatus) if [ -e "$state/failed/$1" ]; then value=1; else value=0; fi ;;
      NRestarts) restarts "$1"; value=$count ;;
      CPUUsageNSec) if [ -e "$state/active/$1" ]; then value=$(date +%s%N); else value='[not set]'; fi ;;
      MemoryCurrent) if [ -e "$state/active/$1" ]; then value=4096; else value='[not set]'; fi ;;
    esac
    echo "$name=$value"
  done
}
list_files() {
  for path in "$FAKE"/etc/systemd/system/* "$state"/foreign/*; do
    [ -e "$path" ] || continue
    if [ -e "$state/enabled/${path##*/}" ]; then word=enabled; else word=disabled; fi
    [ ! -e "$state/masked/${path##*/}" ] || word=masked
    # shellcheck disable=SC2254
    case ${path##*/} in $1) echo "${path##*/} $word" ;; esac
  done
}
shown=""
set -f
for unit in $units; do
  case $verb in
    list-unit-files)
      set +f
      list_files "$unit" ;;
    is-*) word_for "$unit" || code=$? ;;
    show)
      case $property in
        MainPID) pid_of "$unit"; echo "$pid" ;;
        *)
          [ -z "$shown" ] || echo
          shown=yes
          properties "$unit" ;;
      esac ;;
    enable)
      if exists "$unit" && [ ! -e "$state/masked/$unit" ] && : >"$state/enabled/$unit"; then
        [ -z "$now" ] || [ -e "$state/active/$unit" ] || start "$unit" || code=$?
      else code=1; fi ;;
    disable)
      if [ -n "$now" ]; then stop "$unit" || exit 1; fi
      remove "$state/enabled/$unit" ;;
    start) [ -e "$state/active/$unit" ] || start "$unit" || code=$? ;;
    restart) stop "$unit" && start "$unit" || code=$? ;;
    stop) stop "$unit" || code=$? ;;
    reload) [ -e "$state/active/$unit" ] && [ ! -e "$state/broken/$unit" ] && [ ! -e "$state/reloading/$unit" ] && echo "$unit" >>"$FAKE/reloads" || code=1 ;;
    try-reload-or-restart) [ ! -e "$state/active/$unit" ] || echo "$unit" >>"$FAKE/reloads" ;;
    reset-failed) remove "$state/failed/$unit" "$state/limited/$unit" ;;
  esac
done
exit "${code:-0}"
