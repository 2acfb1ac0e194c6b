# shellcheck shell=sh
# The client inside the container of a server. The root password is the first line of its standard input; nothing of it is an
# argument.

# client CONTAINER ENGINE DATABASE: runs the rest of standard input there.
# Root finds functions of the server alone by their names: an owner may have put others of these names into its database.
# shellcheck disable=SC2016 # The shell inside the container expands them.
client() {
  case $2 in
    pgsql) inside='IFS= read -r PGPASSWORD && export PGPASSWORD PGOPTIONS="-c search_path=pg_catalog"
exec psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 --host 127.0.0.1 --username postgres --dbname "${1:-postgres}"' ;;
    *) inside='IFS= read -r MYSQL_PWD && export MYSQL_PWD
program=$(command -v mariadb || command -v mysql) || exit 127
exec "$program" --host=127.0.0.1 --protocol=tcp --user=root --batch --skip-column-names --default-character-set=utf8mb4 ${1:+"$1"}' ;;
  esac
  docker container exec --interactive "$1" sh -c "$inside" sh "$3"
}

# whole TEXT: whether its last line says that nothing of it was lost on its way.
whole() { case $1 in *'
-- fleet: end') return 0 ;; *) return 1 ;; esac; }
