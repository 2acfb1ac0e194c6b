# Stands for Docker with one MySQL in it: databases and users are files below $FLEET_FAKE_SERVER.
state=$FLEET_FAKE_SERVER
[ "$1 $2" = 'container exec' ] || exit 1
[ -e "$state/running" ] && [ "$4" = "$(cat "$state/running")" ] || exit 1
IFS= read -r password
[ "$password" = "$(cat "$state/root")" ] || exit 1
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
  if [ -e "$state/broken" ] && printf '%s' "$line" | grep -q "$(cat "$state/broken")"; then exit 1; fi
  case $line in
    'CREATE DATABASE'*) : >"$state/db.$(field '`' 2)" ;;
    'DROP DATABASE'*) rm -f "$state/db.$(field '`' 2)" ;;
    "SET @fleet = CONCAT('CREATE USER"*) : >"$state/user.$(field "'" 4)" ;;
    'GRANT '*) printf '%s\n' "$line" >>"$state/user.$(field "'" 2)" ;;
    'DROP USER'*) rm -f "$state/user.$(field "'" 2)" ;;
    "SELECT CONCAT('database "*) matching 4 'database ' ;;
    'SELECT schema_name'*) matching 2 '' ;;
    "SELECT DISTINCT CONCAT('user "*) name=$(field "'" 4); [ ! -e "$state/user.$name" ] || printf 'user %s\n' "$name" ;;
  esac
done
