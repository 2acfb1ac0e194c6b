# State of each checkout, and the URL of its origin where it is one. Arguments: the root folder; then path and id of the
# preparation of each. No Git runs in a checkout: its own settings would decide what is run as root.
root=$1
shift
inode() { stat -c %i -- "$1" || stat -f %i -- "$1"; }

# Whether the receipt is of this preparation and names this very directory.
proven() {
  receipt=$1/.git/$receipts/preparation
  [ -f "$receipt" ] && [ ! -L "$receipt" ] && [ ! -L "$1/.git/$receipts" ] && read -r claimed <"$receipt" &&
    [ "${claimed%% *} ${claimed##* }" = "$2 $(inode "$1")" ]
}

# An object store of its own: what another repository lends may be deleted there.
has_own_objects() {
  [ -f "$1/.git/HEAD" ] && [ -d "$1/.git/objects" ] && [ -d "$1/.git/refs" ] && [ ! -e "$1/.git/commondir" ] &&
    [ ! -e "$1/.git/objects/info/alternates" ] && [ "$(setting "$1" core.bare)" != true ] &&
    [ -z "$(setting "$1" core.worktree)" ]
}
setting() { timeout 5 git config --file "$1/.git/config" --no-includes --get "$2"; }

state() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then echo missing
  elif [ -L "$1" ] || [ ! -d "$1" ] || [ -L "$1/.git" ] || [ ! -d "$1/.git" ]; then echo layout
  elif ! proven "$1" "$2"; then echo foreign
  elif ! has_own_objects "$1"; then echo repository
  else echo own; fi
}

at=0
while [ "$#" -ge 2 ]; do
  found=$(state "$root$1" "$2")
  field "state.$at" "$found"
  case $found in own | repository) field "origin.$at" "$(setting "$root$1" remote.origin.url)" ;; esac
  at=$((at + 1))
  shift 2
done
field end yes
