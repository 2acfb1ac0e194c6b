# apply source access
# Arguments: the account of the web server, empty where it is that of the checkout, so that nothing is granted; the home for a snapshot that could not be restored, the checkout, then the web roots.
account=$1 home=$2 checkout=$3
shift 3
refuse_at() { field refused "$1"; field path "$2"; exit 0; }
[ -z "$account" ] || {
  command -v setfacl >/dev/null && command -v getfacl >/dev/null || refuse acl_missing
  id -u -- "$account" >/dev/null || refuse account_missing
}
if [ -L "$checkout" ] || [ ! -d "$checkout" ]; then
  [ "$#" = 0 ] || refuse_at checkout_missing "$checkout"
  field applied yes
  exit 0
fi
[ -z "$account" ] || {
  other=$(find "$checkout" ! -uid "$(id -u)" -print -quit)
  [ -z "$other" ] || refuse_at foreign_owner "$other"
}

# What is served: each root with its public storage.
count=$#
while [ "$count" -gt 0 ]; do
  root=$1 storage=$(storage_of "$1")
  shift
  count=$((count - 1))
  [ -d "$root" ] || refuse_at web_root_missing "$root"
  real "$root" || refuse_at link "$root"
  set -- "$@" "$root"
  link=$(links_in "$root" | head -n 1)
  [ -z "$link" ] || refuse_at link "$link"
  if [ -z "$storage" ] || { [ ! -e "$storage" ] && [ ! -L "$storage" ]; }; then continue; fi
  real "$storage" || refuse_at link "$storage"
  link=$(find "$storage" -type l | head -n 1)
  [ -z "$link" ] || refuse_at link "$link"
  set -- "$@" "$storage"
done
if [ -z "$account" ]; then
  field applied yes
  exit 0
fi

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
  [ "$(stat -c %u -- "$place")" = "$(id -u)" ] || refuse_at closed_above "$place"
done

# From here on everything is put back when something fails, also when the connection breaks.
trap '' HUP PIPE
snapshot=$(mktemp) || refuse not_saved
save -R -P "$checkout"
# shellcheck disable=SC2086 # One word each.
[ -z "$closed" ] || save $closed
way=$(for area; do above "$area"; done | sort -u)
if [ "$#" = 0 ]; then take || put_back; else give "$@" || put_back; fi
rm -f -- "$snapshot"
# The file system of the checkout alone; what is not on the disk yet is in its journal.
sync -f "$checkout"

field unreadable "$(hidden "$@" | head -n 5)"
field count "$(hidden "$@" | wc -l)"
field applied yes
