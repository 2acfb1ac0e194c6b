# inspect PHP pools
# Arguments: the root folder, how many parts of PHP follow, those, then name, version and directory of every pool.
root=$1 count=$2
shift 2
parts=
while [ "$count" -gt 0 ]; do
  parts="$parts $1" count=$((count - 1))
  shift
done
missing='' versions=''
while [ "$#" -ge 3 ]; do
  if [ ! -d "$root$3" ]; then
    missing="$missing$1
"
  else
    case "$versions " in *" $2 "*) ;; *) versions="$versions $2" ;; esac
  fi
  shift 3
done
field missing "$missing"

# What a version lacks, of what the package sources offer. It does not run without its process manager.
absent=$(for version in $versions; do
  installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "php$version-*" | sed -n 's/^installed //p' | tr '\n' ' ') "
  offered=
  for part in $parts; do
    case $installed in *" php$version-$part "*) continue ;; esac
    [ -n "$offered" ] || offered=" $(apt-cache pkgnames "php$version-" | tr '\n' ' ') "
    case "$part$offered" in fpm* | *" php$version-$part "*) printf '%s\n' "php$version-$part" ;; esac
  done
done)
field absent "$absent"

own=$(for file in "$root"/etc/php/*/fpm/pool.d/fleet-scopes.conf; do
  [ -f "$file" ] || continue
  version=${file%/fpm/pool.d/fleet-scopes.conf}
  printf '%s\n' "${version##*/}"
done)
field own "$own"
field end yes
