# shellcheck shell=sh
# Accounts, folders and files of the plan: first every candidate, then the switch to all of them, then the way back.
make_account() {
  id -u -- "$1" >/dev/null ||
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin -- "$1"
}
# Unflushed "$1": whoever drops a name gives it to another file.
drop_stale() { if [ -e "$1" ] || [ -L "$1" ]; then rm -f -- "$1"; fi; }
# Unflushed "$root$2.fleet-new", "$1.fleet-new": the next attempt removes a candidate before it writes its own.
write_candidate() {
  [ "$5" != - ] || return 0
  fresh=$root$6.fleet-new
  drop_stale "$fresh"
  (set -C && head -c "$5" <&3 >"$fresh") && [ "$(wc -c <"$fresh")" = "$5" ] &&
    chown "$(owner_of "$3"):$(group_of "$4")" "$fresh" && chmod "$2" "$fresh" && flush "$fresh"
}
link_candidate() {
  [ "$3" != - ] || return 0
  drop_stale "$root$2.fleet-new" && ln -s -- "$3" "$root$2.fleet-new"
}

# back_up FOLDER MARKER PATH: keeps what somebody else wrote; a file of Fleet's begins with the marker.
back_up() {
  if [ ! -f "$root$3" ] || [ -L "$root$3" ] || [ "$(head -n 1 "$root$3")" = "$2" ]; then return 0; fi
  kept=$root$1/$(date -u +%Y%m%dT%H%M%SZ)
  make_folder "$kept" && cp -p -- "$root$3" "$kept/" && flush "$kept/${3##*/}" && flush_names "$kept/${3##*/}"
}

# A second name for what is there: it comes back even when the disk is full. Nothing was there where no second name is.
# Unflushed "$1.fleet-before": the switch flushes the folder of both names.
keep_before() {
  drop_stale "$1.fleet-before"
  if [ -L "$1" ]; then cp -P -- "$1" "$1.fleet-before"
  elif [ -e "$1" ]; then ln -- "$1" "$1.fleet-before"; fi
}
was_there() { [ -L "$1.fleet-before" ] || [ -e "$1.fleet-before" ]; }
switch_to() { move "$1.fleet-new" "$1"; }
go_back() {
  rm -f -- "$1.fleet-new"
  if was_there "$1"; then move "$1.fleet-before" "$1"; else remove "$1"; fi
}
forget() { remove "$1.fleet-new" && remove "$1.fleet-before"; }

# over FUNCTION: calls it with the path of every file and link that the plan changes.
over() {
  step=$1
  each file over_file && each link over_link
}
over_file() { [ "$5" = - ] || "$step" "$root$6"; }
over_link() { [ "$3" = - ] || "$step" "$root$2"; }
