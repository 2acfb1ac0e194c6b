# Names of the pools whose directory is missing. $1: root folder, then name and directory of each.
root=$1
shift
missing=
while [ "$#" -ge 2 ]; do
  [ -d "$root$2" ] || missing="$missing$1
"
  shift 2
done
field missing "$missing"
field end yes
