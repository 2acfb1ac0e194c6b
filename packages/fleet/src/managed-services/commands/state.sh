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
# Two programs for all of them; what is not as it was sealed is read.
release_state() {
  sound=$(cd "$root$1" && sound_releases)
  for folder in "$root$1"/*; do
    [ -d "$folder" ] || continue
    case "
$sound
" in *"
${folder##*/}
"*) field "release.${folder##*/}" whole ;;
      *) if whole "$folder"; then field "release.${folder##*/}" whole; fi ;;
    esac
  done
}
# sound_releases: the folders here whose seal says what stat says of their files.
sound_releases() {
  set --
  for folder in *; do
    if [ -s "$folder/.seal" ]; then set -- "$@" "$folder/.manifest" "$folder"/*; fi
  done
  [ "$#" -gt 0 ] || return 0
  # shellcheck disable=SC2016
  stat -c '%n %i %s %.9Y %.9Z' -- "$@" | awk '
    { folder = FILENAME }
    is_seal == 0 { folder = $1; sub("/.*", "", folder); sub("^[^/]*/", ""); if ($1 != ".manifest") $0 = "./" $0; found[folder] = found[folder] $0 "\n" }
    is_seal == 1 { sub("/.*", "", folder); sealed[folder] = sealed[folder] $0 "\n" }
    END { for (folder in sealed) if (sealed[folder] == found[folder]) print folder }
  ' is_seal=0 - is_seal=1 */.seal
}
service_state() {
  if each folder folder_is; then field folders yes; else field folders no; fi
  each file file_state
  each link link_state
  each unit unit_state
  each ready ready_state
  each release release_state
}
