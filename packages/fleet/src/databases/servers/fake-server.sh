# Stands for Docker with one MySQL in it: databases and users are files below $FLEET_FAKE_SERVER.
state=$FLEET_FAKE_SERVER
case "$1 $2" in
  'info --format') printf '%s\n' "$state"; exit ;;
  'volume inspect') cat "$state/volume"; exit ;;
  'volume create') printf '%s\n' "${4#*=}" >"$state/volume"; exit ;;
  'volume rm') rm -f "$state/volume" "$state/root"; exit ;;
  'container ls') [ ! -e "$state/running" ] || cat "$state/running"; exit ;;
  'container rm') rm -f "$state/running"; exit ;;
  'container exec') ;;
  *) exit 1 ;;
esac
[ -e "$state/running" ] && [ "$4" = "$(cat "$state/running")" ] || exit 1
IFS= read -r password
[ "$password" = "$(cat "$state/root")" ] || exit 1
broken() { [ -e "$state/broken" ] && printf '%s' "$1" | grep -q "$(cat "$state/broken")"; }
# Of a dump: container exec --interactive NAME sh -c PROGRAM sh FROM TO OWNER.
case $7 in *--single-transaction*)
  printf 'copy %s %s %s\n' "$9" "${10}" "${11}" >>"$state/log"
  if broken "copy $9"; then printf 'half' >"$state/db.${10}"; exit 1; fi
  cat "$state/db.$9" >>"$state/db.${10}"
  exit ;;
esac
field() { printf '%s' "$line" | cut -d"$1" -f"$2"; }
matching() {
  name=$(field "'" "$1")
  for file in "$state"/db.*; do
    each=${file##*/db.}
    case $line in *LIKE*) case $each in "$name" | "$name"_test*) printf '%s\n' "$2$each" ;; esac ;;
      *) [ "$each" != "$name" ] || printf '%s\n' "$2$each" ;;
    esac
  done
}
while IFS= read -r line; do
  printf '%s\n' "$line" >>"$state/log"
  if broken "$line"; then exit 1; fi
  case $line in
    'CREATE DATABASE'*) : >>"$state/db.$(field '`' 2)" ;;
    'DROP DATABASE'*) rm -f "$state/db.$(field '`' 2)" ;;
    "SELECT CONCAT('KILL "*) [ ! -e "$state/sessions" ] || cat "$state/sessions" ;;
    "SET @fleet = CONCAT('CREATE USER"*) : >>"$state/user.$(field "'" 4)" ;;
    'GRANT '*) printf '%s\n' "$line" >>"$state/user.$(field "'" 2)" ;;
    'REVOKE '*)
      file=$state/user.$(field "'" 2)
      kept=$(grep -vF "ON \`$(field '`' 2)\`." "$file")
      printf '%s\n' "$kept" >"$file" ;;
    'SELECT CONCAT('*' FROM mysql.db '*)
      for file in "$state"/user.*; do
        if grep -qF "ON \`$(field "'" 4)\`." "$file"; then printf '%s%s\n' "$(field "'" 2)" "${file##*/user.}"; fi
      done ;;
    'DROP USER'*) rm -f "$state/user.$(field "'" 2)" ;;
    "SELECT CONCAT('database "*) matching 4 'database ' ;;
    'SELECT schema_name'*) matching 2 '' ;;
    "SELECT DISTINCT CONCAT('user "*) name=$(field "'" 4); [ ! -e "$state/user.$name" ] || printf 'user %s\n' "$name" ;;
  esac
done
