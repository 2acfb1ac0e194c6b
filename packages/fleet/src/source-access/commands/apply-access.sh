# apply source access
# Arguments: the account of the web server, the home for a snapshot that could not be restored, the checkout, then the web roots.
account=$1 home=$2 checkout=$3
shift 3
deny="u:$account:---" see="u:$account:r-x" read="u:$account:r--"
refuse_at() { field refused "$1"; field path "$2"; exit 0; }
# pattern PATH: for find, to the letter.
pattern() { printf '%s' "$1" | sed 's/[][*?\\]/\\&/g'; }
# above PATH: the folders from the checkout to it, a line each.
above() {
  place=$1
  while [ "$place" != "$checkout" ]; do
    place=${place%/*}
    printf '%s\n' "$place"
  done
}
# real PATH: a folder, and no link on the way to it from the checkout.
real() {
  [ -d "$1" ] && [ ! -L "$1" ] && [ -z "$(above "$1" | while IFS= read -r place; do [ ! -L "$place" ] || printf x; done)" ]
}
# storage_of ROOT: what Laravel publishes beside a root of the name `public`.
storage_of() { case $1 in */public) printf '%s' "${1%/public}/storage/app/public" ;; esac; }

command -v setfacl >/dev/null && command -v getfacl >/dev/null || refuse acl_missing
id -u -- "$account" >/dev/null || refuse account_missing
if [ -L "$checkout" ] || [ ! -d "$checkout" ]; then
  [ "$#" = 0 ] || refuse_at checkout_missing "$checkout"
  field applied yes
  exit 0
fi
other=$(find "$checkout" ! -uid "$(id -u)" -print -quit)
[ -z "$other" ] || refuse_at foreign_owner "$other"

# What is served: each root with its public storage. A link in it may lead anywhere, but for the one to that storage.
count=$#
while [ "$count" -gt 0 ]; do
  root=$1 storage=$(storage_of "$1")
  shift
  count=$((count - 1))
  [ -d "$root" ] || refuse_at web_root_missing "$root"
  real "$root" || refuse_at link "$root"
  set -- "$@" "$root"
  if [ -L "$root/storage" ] && [ -n "$storage" ] && [ "$(readlink -m -- "$root/storage")" = "$(readlink -m -- "$storage")" ]; then
    link=$(find "$root" -type l ! -path "$(pattern "$root/storage")" -print -quit)
  else
    link=$(find "$root" -type l -print -quit)
  fi
  [ -z "$link" ] || refuse_at link "$link"
  if [ -z "$storage" ] || { [ ! -e "$storage" ] && [ ! -L "$storage" ]; }; then continue; fi
  real "$storage" || refuse_at link "$storage"
  link=$(find "$storage" -type l -print -quit)
  [ -z "$link" ] || refuse_at link "$link"
  set -- "$@" "$storage"
done

# Folders above the checkout that the web server cannot walk through yet.
closed=$([ "$#" = 0 ] || {
  place=$checkout
  while [ -n "${place%/*}" ]; do
    place=${place%/*}
    entry=$(getfacl -p -c -- "$place" | grep "^user:$account:")
    case $entry in
      *effective:*) ;;
      *x) continue ;;
      '') [ -z "$(find "$place" -prune -perm -o=x)" ] || continue ;;
    esac
    printf '%s\n' "$place"
  done
})
IFS='
'
set -f
for place in $closed; do
  [ "$(stat -c %u -- "$place")" = "$(id -u)" ] || refuse_at foreign_owner "$place"
done

# From here on everything is put back when something fails, also when the connection breaks.
trap '' HUP PIPE
snapshot=$(mktemp) || refuse failed
getfacl -R -P -p -n -- "$checkout" >"$snapshot" || { [ -s "$snapshot" ] || refuse failed; }
# shellcheck disable=SC2086 # One word each.
[ -z "$closed" ] || getfacl -p -n -- $closed >>"$snapshot"
put_back() {
  if setfacl --restore="$snapshot"; then
    rm -f -- "$snapshot"
    refuse failed
  fi
  kept=$home/.fleet/source-access/$(date -u +%Y%m%dT%H%M%SZ).acl
  make_folder "${kept%/*}"
  cp -- "$snapshot" "$kept" && flush "$kept" && flush_names "$kept" && rm -f -- "$snapshot"
  refuse_at not_restored "$kept"
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
way=$(for area; do above "$area"; done | sort -u)
FILES='! -type d ! -type l' FOLDERS='-type d'
give() {
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
if [ "$#" = 0 ]; then take || put_back; else give "$@" || put_back; fi
rm -f -- "$snapshot"
# The file system of the checkout alone; what is not on the disk yet is in its journal.
sync -f "$checkout"

hidden() {
  [ "$#" = 0 ] || find "$@" \( -name .git -o -name .env -o -name '.env.*' \) -prune -o \
    \( -type f ! -perm -g=r -o -type d ! -perm -g=rx \) -print
}
field unreadable "$(hidden "$@" | head -n 5)"
field count "$(hidden "$@" | wc -l)"
field applied yes
