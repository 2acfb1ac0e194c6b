#!/bin/sh
# A service manager whose units are files below $FAKE/etc/systemd/system, or names in $FAKE/systemd/foreign. What runs has a
# file in $FAKE/systemd/active; a program that reports itself is a process that sleeps.
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
file() { printf '%s' "$FAKE/etc/systemd/system/$1"; }
setting() { sed -n "s/^$2=//p" "$(file "$1")"; }
exists() { [ -e "$(file "$1")" ] || [ -e "$state/foreign/$1" ]; }
pid() { cat "$state/pid/$1" 2>/dev/null || echo 0; }
stop() {
  [ ! -e "$state/stuck/$1" ] || return 1
  [ ! -e "$state/pid/$1" ] || kill "$(pid "$1")" 2>/dev/null
  rm -f "$state/pid/$1" "$state/active/$1"
  runtime=$(setting "$1" RuntimeDirectory)
  [ -z "$runtime" ] || [ -n "$(setting "$1" RuntimeDirectoryPreserve)" ] || rm -rf "${FAKE:?}/run/$runtime"
}
start() {
  exists "$1" || return 5
  if [ -e "$state/limited/$1" ]; then touch "$state/failed/$1"; return 1; fi
  # Such a file may hold a text: a unit with it starts all the same.
  if [ -e "$state/broken/$1" ] && ! { [ -s "$state/broken/$1" ] && grep -qFf "$state/broken/$1" "$(file "$1")"; }; then
    [ ! -e "$state/message/$1" ] || cat "$state/message/$1" >>"$state/journal/$1"
    touch "$state/failed/$1"
    return 1
  fi
  rm -f "$state/failed/$1"
  touch "$state/active/$1"
  setting "$1" EnvironmentFile 2>/dev/null | while read -r path; do cat "$FAKE$path" 2>/dev/null; done >"$state/environment/$1"
  began=$(sed -n 's/^ExecStart=.*--configuration=//p' "$(file "$1")" 2>/dev/null)
  [ -n "$began" ] || return 0
  setsid sleep 300 </dev/null >/dev/null 2>&1 &
  echo "$!" >"$state/pid/$1"
  runtime=$FAKE/run/$(setting "$1" RuntimeDirectory)
  mkdir -p "$runtime"
  [ -e "$state/mute/$1" ] || echo "$! $began" >"$runtime/ready"
}
word_for() {
  case $verb in
    is-active) if [ -e "$state/active/$1" ]; then echo active; else echo inactive; return 3; fi ;;
    is-enabled) if [ -e "$state/enabled/$1" ]; then echo enabled; else echo disabled; return 1; fi ;;
    is-failed) [ -e "$state/failed/$1" ] ;;
  esac
}
active_state() {
  if [ -e "$state/loop/$1" ]; then echo activating; else plain_state "$1"; fi
}
sub_state() {
  if [ -e "$state/loop/$1" ]; then echo auto-restart
  elif [ -e "$state/failed/$1" ]; then echo failed
  else echo dead; fi
}
# One more each time that it is asked, for a unit that ends and starts again in between.
restarts() {
  count=$(cat "$state/restarting/$1" 2>/dev/null) || { echo 0; return; }
  echo "$count"
  echo $((count + 1)) >"$state/restarting/$1"
}
properties() {
  printf 'Id=%s\nLoadState=%s\n' "$1" "$(if exists "$1"; then echo loaded; else echo not-found; fi)"
  printf 'ActiveState=%s\nSubState=%s\n' "$(active_state "$1")" "$(sub_state "$1")"
  printf 'Result=%s\nExecMainStatus=%s\n' "$(if [ -e "$state/failed/$1" ]; then echo exit-code; else echo success; fi)" \
    "$(if [ -e "$state/failed/$1" ]; then echo 1; else echo 0; fi)"
  printf 'NRestarts=%s\nCPUUsageNSec=%s\n' "$(restarts "$1")" "$(if [ -e "$state/active/$1" ]; then date +%s%N; else echo '[not set]'; fi)"
  printf 'MemoryCurrent=%s\n' "$(if [ -e "$state/active/$1" ]; then echo 4096; else echo '[not set]'; fi)"
}
plain_state() { if [ -e "$state/failed/$1" ]; then echo failed; else verb=is-active word_for "$1"; fi; }
list_files() {
  for path in "$FAKE"/etc/systemd/system/* "$state"/foreign/*; do
    # shellcheck disable=SC2254
    case ${path##*/} in $1) [ ! -e "$path" ] || echo "${path##*/} enabled" ;; esac
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
        MainPID) pid "$unit" ;;
        *)
          [ -z "$shown" ] || echo
          shown=yes
          properties "$unit" | grep -E "^($(printf %s "$property" | tr , '|'))=" ;;
      esac ;;
    enable)
      if exists "$unit" && touch "$state/enabled/$unit"; then
        [ -z "$now" ] || [ -e "$state/active/$unit" ] || start "$unit" || code=$?
      else code=1; fi ;;
    disable)
      if [ -n "$now" ]; then stop "$unit" || exit 1; fi
      rm -f "$state/enabled/$unit" ;;
    start) [ -e "$state/active/$unit" ] || start "$unit" || code=$? ;;
    restart) stop "$unit" && start "$unit" || code=$? ;;
    stop) stop "$unit" || code=$? ;;
    reload) [ -e "$state/active/$unit" ] && [ ! -e "$state/broken/$unit" ] && echo "$unit" >>"$FAKE/reloads" || code=1 ;;
    try-reload-or-restart) [ ! -e "$state/active/$unit" ] || echo "$unit" >>"$FAKE/reloads" ;;
    reset-failed) rm -f "$state/failed/$unit" "$state/limited/$unit" ;;
  esac
done
exit "${code:-0}"
