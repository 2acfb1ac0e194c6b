# check the apps root
# Arguments: the path, `create` or `keep`. Every parent is compared with its physical path: a link anywhere in it would move
# the checkouts elsewhere.
umask 022
path=$1
say() { printf '%s\n' "$1"; exit 0; }
real() { [ "$(cd -P -- "$1" 2>/dev/null && pwd -P)" = "$1" ]; }
exists() { [ -e "$1" ] || [ -L "$1" ]; }

if exists "$path"; then
  [ ! -L "$path" ] || say symbolic_link
  [ -d "$path" ] || say not_a_directory
  [ -n "$(find "$path" -prune -user "$(id -u)" 2>/dev/null)" ] || say foreign_owner
  [ -z "$(find "$path" -prune \( -perm -020 -o -perm -002 \) 2>/dev/null)" ] || say writable_by_others
  real "$path" || say symbolic_link
  say accepted
fi

[ "$2" = create ] || say missing
parent=$path
while ! exists "$parent"; do parent=${parent%/*}; parent=${parent:-/}; done
[ -d "$parent" ] || say not_a_directory
real "$parent" || say symbolic_link

# One level at a time, so that a failure knows what it made and takes it away again.
made=$parent
rest=${path#"${parent%/}"/}
while [ -n "$rest" ]; do
  name=${rest%%/*}
  case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
  if ! mkdir -m 0755 -- "${made%/}/$name" 2>/dev/null; then
    while [ "$made" != "$parent" ]; do rmdir -- "$made" 2>/dev/null; made=${made%/*}; done
    say create_failed
  fi
  made=${made%/}/$name
  flush_names "$made"
done
say created
