# shellcheck shell=sh
# Entries of the web server in access control lists. $account is its account, $checkout the checkout, $way the folders between it
# and what is served, $closed those above it that are to be opened, $snapshot everything from before.
# Unflushed "$snapshot": a temporary file that nobody needs after a power cut.
# save …: permissions, to what is saved already. Entries that are gone meanwhile are none, but all that is read has to be written.
save() {
  if getfacl -p -n "$@" | cat >>"$snapshot" && [ -s "$snapshot" ]; then return 0; fi
  rm -f -- "$snapshot"
  refuse not_saved
}
put_back() {
  if setfacl --restore="$snapshot"; then
    rm -f -- "$snapshot"
    refuse failed
  fi
  kept=$home/.fleet/source-access/$(date -u +%Y%m%dT%H%M%SZ).acl
  if make_folder "${kept%/*}" && cp -- "$snapshot" "$kept" && flush "$kept" && flush_names "$kept"; then
    rm -f -- "$snapshot"
    refuse_at not_restored "$kept"
  fi
  # Half a copy is of no use.
  remove "$kept"
  refuse_at not_restored "$snapshot"
}

# outside KIND AREA…: entries of a kind that are in no area and, of the folders, not above one.
outside() {
  kind=$1
  shift
  count=$#
  while [ "$count" -gt 0 ]; do
    set -- "$@" -path "$(pattern "$1")" -prune -o
    shift
    count=$((count - 1))
  done
  for place in $way; do set -- "$@" ! -path "$(pattern "$place")"; done
  # shellcheck disable=SC2086 # Several words.
  (IFS=' ' && find "$checkout" "$@" $kind -print0)
}
# inside KIND AREA…: entries of a kind in the areas, but never what is nobody's to read.
inside() {
  kind=$1
  shift
  [ "$#" -gt 0 ] || return 0
  # shellcheck disable=SC2086 # Several words.
  (IFS=' ' && find "$@" \( -name .git -o -name .env -o -name '.env.*' \) -prune -o $kind -print0)
}
secrets() {
  shift
  [ "$#" -gt 0 ] || return 0
  find "$@" \( -name .git -o -name .env -o -name '.env.*' \) -prune -print0
}
# set_on ENTRIES LIST KIND AREA…: the list is read again when it changed meanwhile. The mask stays: what is hidden from the
# group class stays hidden (SRC-008).
set_on() {
  entries=$1
  shift
  for _ in 1 2 3; do
    # shellcheck disable=SC2086 # One word a line.
    if "$@" | xargs -0 -r setfacl -n $entries --; then return 0; fi
  done
  return 1
}
# pass_through FOLDER…: the mask opens for this alone.
pass_through() {
  for place; do
    mode=$(stat -c %a -- "$place") && bits=$(((0$mode >> 3 & 7) | 1)) &&
      setfacl -n -m "u:$account:--x,m::$bits" -- "$place" || return 1
  done
}
FILES='! -type d ! -type l' FOLDERS='-type d'
give() {
  deny="u:$account:---" see="u:$account:r-x" read="u:$account:r--"
  set_on "-m
$deny,d:$deny" outside "$FOLDERS" "$@" && set_on "-m
$deny" outside "$FILES" "$@" && set_on "-R
-P
-m
$deny,d:$deny" secrets - "$@" && set_on "-m
$see,d:$see" inside "$FOLDERS" "$@" && set_on "-m
$read" inside '-type f' "$@" && set_on "-m
$deny" inside "$FILES ! -type f" "$@" || return 1
  # shellcheck disable=SC2086 # One word each.
  [ -z "$way" ] || { setfacl -n -m "d:$deny" -- $way && pass_through $way; } || return 1
  # shellcheck disable=SC2086 # One word each.
  [ -z "$closed" ] || pass_through $closed
}
take() {
  set_on "-x
u:$account,d:u:$account" outside "$FOLDERS" && set_on "-x
u:$account" outside "$FILES"
}
hidden() {
  [ "$#" = 0 ] || find "$@" \( -name .git -o -name .env -o -name '.env.*' \) -prune -o \
    \( -type f ! -perm -g=r -o -type d ! -perm -g=rx \) -print
}
