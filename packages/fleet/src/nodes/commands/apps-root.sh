# check the apps root
# Arguments: the path, `create` or `keep`. Every parent is compared with its physical path: a link anywhere in it would move
# the checkouts elsewhere.
umask 022
path=$1
accept() { field root "$1"; exit 0; }
real() { [ "$(cd -P -- "$1" && pwd -P)" = "$1" ]; }
exists() { [ -e "$1" ] || [ -L "$1" ]; }

if exists "$path"; then
  [ ! -L "$path" ] || refuse symbolic_link
  [ -d "$path" ] || refuse not_a_directory
  [ -n "$(find "$path" -prune -user "$(id -u)")" ] || refuse foreign_owner
  [ -z "$(find "$path" -prune \( -perm -020 -o -perm -002 \))" ] || refuse writable_by_others
  real "$path" || refuse symbolic_link
  accept accepted
fi

[ "$2" = create ] || refuse missing
parent=$path
while ! exists "$parent"; do parent=${parent%/*}; parent=${parent:-/}; done
[ -d "$parent" ] || refuse not_a_directory
real "$parent" || refuse symbolic_link

# One level at a time, so that a failure knows what it made and takes it away again.
made=$parent
rest=${path#"${parent%/}"/}
while [ -n "$rest" ]; do
  name=${rest%%/*}
  case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
  if ! mkdir -m 0755 -- "${made%/}/$name"; then
    while [ "$made" != "$parent" ]; do remove_empty "$made"; made=${made%/*}; done
    refuse create_failed
  fi
  made=${made%/}/$name
  flush_names "$made"
done
accept created
