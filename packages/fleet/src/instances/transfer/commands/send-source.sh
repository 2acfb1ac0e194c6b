# send source
# Arguments: after those of checkout.sh, the path of a database that is carried by itself, or nothing. Prints an archive of the
# checkout without that and without its receipt, and nothing else.
kept=$1
set --
[ -z "$kept" ] || for end in '' -wal -shm -journal; do set -- "$@" --exclude="./$kept$end"; done
enter >&2
proven "./$name" || exit 1
cd "./$name" || exit 1
# Lists of who else may read are those of this Node; with one, whoever is not root could not unpack a read-only file.
exec tar --create --format=pax --xattrs --xattrs-include='user.*' --anchored --no-wildcards --exclude="./.git/$receipt" "$@" --file=- .
