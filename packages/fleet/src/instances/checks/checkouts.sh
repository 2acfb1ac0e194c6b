# State of each checkout, and the URL of its origin where it is one. Arguments: the root folder; then path and id of the
# preparation of each, and of a linked worktree the path of the checkout that it belongs to. No Git runs in a
# checkout: its own settings would decide what is run as root.
root=$1
shift
# line FILE: its first line. What is no file is not opened: a pipe would hold up the question about all checkouts of the Node.
line() { [ -f "$1" ] && [ ! -L "$1" ] && head -c 8192 -- "$1" | head -n 1; }
inode() { stat -c %i -- "$1" || stat -f %i -- "$1"; }

# git_of CHECKOUT MAIN: sets $own, where its receipt is, and $shared, where its objects are: its folder `.git`, or of a linked
# worktree what it has in that of MAIN. The file that names it is anybody's text, so it leads nowhere else.
git_of() {
  own=$1/.git shared=$1/.git
  if [ -n "$2" ]; then
    link=$(line "$1/.git") || return 1
    case $link in "gitdir: $2/.git/worktrees/"*) ;; *) return 1 ;; esac
    case ${link#"gitdir: $2/.git/worktrees/"} in '' | . | .. | */*) return 1 ;; esac
    shared=$root$2/.git own=$shared/worktrees/${link##*/}
    [ ! -L "$shared/worktrees" ] && [ ! -L "$own" ] || return 1
  fi
  [ -d "$own" ] && [ ! -L "$shared" ]
}

# Whether the receipt is of this preparation and names this very directory.
proven() {
  [ ! -L "$own/$receipts" ] && claimed=$(line "$own/$receipts/preparation") &&
    [ "${claimed%% *} ${claimed##* }" = "$2 $(inode "$1")" ]
}

# An object store of its own, or that of its main checkout: what another repository lends may be deleted there.
has_own_objects() {
  if [ "$own" = "$shared" ]; then [ ! -e "$own/commondir" ]; else [ "$(line "$own/commondir")" = ../.. ]; fi &&
    [ -f "$own/HEAD" ] && [ -d "$shared/objects" ] && [ -d "$shared/refs" ] && [ ! -e "$shared/commondir" ] &&
    [ ! -e "$shared/objects/info/alternates" ] && [ "$(setting core.bare)" != true ] && [ -z "$(setting core.worktree)" ]
}
setting() { [ -f "$shared/config" ] && timeout 5 git config --file "$shared/config" --no-includes --get "$1"; }

state() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then echo missing
  elif [ -L "$1" ] || [ ! -d "$1" ] || ! git_of "$1" "$3"; then echo layout
  elif ! proven "$1" "$2"; then echo foreign
  elif ! has_own_objects; then echo repository
  else echo own; fi
}

at=0
while [ "$#" -ge 3 ]; do
  found=$(state "$root$1" "$2" "$3")
  field "state.$at" "$found"
  case $found in own | repository) git_of "$root$1" "$3" && field "origin.$at" "$(setting remote.origin.url)" ;; esac
  at=$((at + 1))
  shift 3
done
field end yes
