# copy a database on its server
# Arguments: container, engine, the lock of the copy, the database, its copy, which is empty, and the user who owns the copy.
# Standard input: the root password on a line, and that of the owner.
container=$1 engine=$2 lock=$3
shift 3
command -v docker >/dev/null || refuse no-docker
password=$(cat)
alone "$lock"
# Every part of a pipe ends with its status: a dump that broke off must not look like a short one. Objects that run with the
# rights of whoever defined them do so with those of the owner of the copy. No line of data begins like theirs.
# shellcheck disable=SC2016 # The shell inside the container expands them.
case $engine in
  # What is loaded runs functions of the source: those of its checks. In a session of root they could become root again.
  pgsql) inside='IFS= read -r PGPASSWORD && IFS= read -r owner_password && export PGPASSWORD
dump() { pg_dump --host 127.0.0.1 --username postgres --no-owner --no-privileges "$1"; }
own() { cat; }
load() { PGPASSWORD=$owner_password psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --host 127.0.0.1 --username "$3" --dbname "$2"; }' ;;
  *) inside='IFS= read -r MYSQL_PWD && export MYSQL_PWD
client=$(command -v mariadb || command -v mysql) && dumper=$(command -v mariadb-dump || command -v mysqldump) || exit 127
dump() { "$dumper" --host=127.0.0.1 --protocol=tcp --user=root --single-transaction --quick --routines --events --triggers --hex-blob \
  --no-tablespaces --default-character-set=utf8mb4 --loose-set-gtid-purged=OFF "$1"; }
own() { LC_ALL=C sed -e "/^\/\*![0-9]* DEFINER=/s/$from/$to/" -e "/^\/\*![0-9]* CREATE\*\/ \/\*![0-9]* DEFINER=/s/$from/$to/" \
  -e "/^CREATE DEFINER=/s/$from/$to/"; }
from="DEFINER=\`[^\`]*\`@\`[^\`]*\`" to="DEFINER=\`$3\`@\`%\`"
load() { "$client" --host=127.0.0.1 --protocol=tcp --user=root --default-character-set=utf8mb4 "$2"; }' ;;
esac
# shellcheck disable=SC2016 # So too here.
pipe='
ends=$( { { dump "$@" </dev/null; echo $? >&3; } | { own "$@"; echo $? >&3; } | { load "$@" >/dev/null; echo $? >&3; }; } 3>&1 2>/dev/null)
[ "$ends" = "0
0
0" ]'
printf '%s\n' "$password" | docker container exec --interactive "$container" sh -c "$inside$pipe" sh "$@" >/dev/null 2>&1 ||
  refuse failed
field copied yes
