# shellcheck shell=sh
# `stop` ends the units; `remove` takes everything away besides, but what the declaration keeps.
depth=$1 directory=$2 link=$3
units=$root/etc/systemd/system
failed=
stop_unit() {
  failed=$2
  [ "$5" = foreign ] || [ ! -e "$units/$2" ] || systemctl disable --now "$2"
}
remove_unit() {
  if [ "$5" = foreign ] || [ ! -e "$units/$2" ]; then return 0; fi
  remove "$units/$2" && systemctl daemon-reload || return 1
  systemctl reset-failed "$2"
  return 0
}
remove_file() { forget "$root$6" && remove "$root$6"; }
remove_link() { forget "$root$2" && remove "$root$2"; }
remove_folder() { [ "$3" != own ] || remove_tree "$root$4"; }
drop_empty() {
  [ "$3" != shared ] || remove_empty "$root$4"
  return 0
}
remove_path() { remove_tree "$root$1"; }
remove_account() { ! id -u -- "$1" >/dev/null || userdel -- "$1"; }
name_kept() { [ "$3" != kept ] || [ ! -e "$root$4" ] || printf '%s\n' "$4"; }

hook admit || refuse not_admitted
each unit stop_unit || refuse stop_failed "$failed"
flush_links "$units" multi-user.target sockets.target timers.target
if [ "$depth" = remove ]; then
  each unit remove_unit && each file remove_file && each link remove_link && each path remove_path &&
    each folder remove_folder || refuse write_failed
  each folder drop_empty
  each account remove_account || refuse account_failed
  [ "$directory" = - ] || remove_executable || refuse write_failed
fi
field kept "$(each folder name_kept)"
field gone yes
