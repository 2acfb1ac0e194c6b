# shellcheck shell=sh
# What is on the Node of what the plan names. A file counts when mode and owner are as declared and no change of it is pending.
folder_is() {
  [ ! -L "$root$4" ] && [ -d "$root$4" ] &&
    if [ "$3" = shared ]; then ! is_open "$root$4"; else owned_as "$1" - "$2" "$root$4"; fi
}
# A folder that somebody else may change: they could put another in the place of the one that root runs programs of.
is_open() {
  held=$(stat -L -c '%u %a' -- "$1") || return
  [ "${held% *}" != "$own_uid" ] || { [ $((0${held#* } & 022)) != 0 ] && [ $((0${held#* } & 01000)) = 0 ]; }
}
unsafe=
place_folder() {
  if [ "$3" = own ] && folder_is "$@"; then return 0; fi
  if [ "$3" = shared ] && [ -d "$root$4" ]; then
    is_open "$root$4" || return 0
    unsafe="$4 belongs to $(stat -L -c '%U, mode %a' -- "$root$4")"
    return 1
  fi
  directory "$1" "$root$4" && chgrp -- "$(group_of "$2")" "$root$4"
}
file_state() {
  if owned_as "$2" "$3" "$4" "$root$6" && [ ! -e "$root$6.fleet-before" ]; then field "$1" "$(digest "$root$6")"
  else field "$1" ''; fi
}
link_state() { field "$1" "$(readlink -- "$root$2")"; }
unit_state() {
  if [ -f "$root/etc/systemd/system/$2" ]; then field "$1.file" yes; else field "$1.file" no; fi
  field "$1.enabled" "$(systemctl is-enabled "$2")"
  field "$1.active" "$(systemctl is-active "$2")"
}
ready_state() { if [ "$1" = reported ]; then field running "$(reported "$2" "$root$3")"; fi; }
service_state() {
  if each folder folder_is; then field folders yes; else field folders no; fi
  each file file_state
  each link link_state
  each unit unit_state
  each ready ready_state
  each release release_state
}
