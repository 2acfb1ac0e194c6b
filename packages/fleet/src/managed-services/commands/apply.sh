# shellcheck shell=sh
# $1: `changed` or `same` files; $2: `start`, or `rest`, which leaves the units as they are; $3: `units` when some of the files are theirs.
# Everything is written and checked before anything is switched; a start that fails brings all of it back.
units=$root/etc/systemd/system
drop() {
  over forget
  [ -z "$candidate" ] || remove_tree "$candidate"
}
roll_back() {
  each unit end_new
  over go_back
  withdraw_release
  systemctl daemon-reload
  each unit start_again >/dev/null
}
# A connection that breaks leaves nothing half done.
trap '' HUP PIPE

hook admit || refuse not_admitted
each account make_account || refuse account_failed
each lock lock_is_safe || {
  field stage lock
  field message "$unsafe"
  refuse lock_unsafe
}
umask 022
each folder place_folder || {
  [ -n "$unsafe" ] || refuse write_failed
  field stage folder
  field message "$unsafe"
  refuse folder_unsafe
}
each lock take_lock || refuse busy
each release release_folder
fill_release || { drop; refuse write_failed; }
umask 077
each file write_candidate && each link link_candidate || { drop; refuse write_failed; }
hook check "$candidate" || { drop; refuse check_failed; }
place_release && each backup back_up && over keep_before || { drop; refuse write_failed; }
over switch_to || { over go_back; withdraw_release; refuse switch_failed; }
hook prepare "$1" || { roll_back; refuse prepare_failed; }
if [ "$3" = units ]; then systemctl daemon-reload; fi
if [ "$2" = rest ]; then reason=
elif ! each unit start_unit; then reason=start_failed
elif ! becomes_ready; then reason=not_ready
else reason=; fi
if [ -n "$reason" ]; then
  # Before the way back: what it did not do is in its journal now.
  trouble=$( (refuse "$reason" "$failed") && printf end)
  roll_back
  printf '%s' "${trouble%end}"
  exit
fi
drop
prune_releases
[ -z "$enabled" ] || flush_links "$units" multi-user.target sockets.target timers.target
field changed "${changed:-no}"
service_state
