# State of each production environment file. Arguments: the root folder; then folder, Unix user and home
# of each.
root=$1
shift
# Its digest, for a private file of that user; an access list leaves its mode, of which the group part is the mask.
state() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then echo missing
  elif [ -L "$1" ] || [ ! -f "$1" ] || [ "$(stat -c '%U %a' -- "$1")" != "$2 600" ]; then echo unsafe
  else digest "$1"; fi
}
at=0
while [ "$#" -ge 3 ]; do
  if [ -d "$root$3" ]; then field "file.$at" "$(state "$root$1/.env" "$2")"; else field "file.$at" homeless; fi
  at=$((at + 1))
  shift 3
done
field end yes
