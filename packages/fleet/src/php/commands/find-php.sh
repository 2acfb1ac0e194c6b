# find the PHP of a source
# Arguments: the checkout or nothing, the application directory in it, the most bytes of a manifest that is read.
checkout=$1 directory=$2 limit=$3
place=$checkout rest=$directory manifest='absent'
while [ -n "$rest" ]; do
  place=$place/${rest%%/*}
  case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
  if [ -L "$place" ]; then manifest="unsafe"; fi
done
if [ -z "$checkout" ] || [ "$manifest" = unsafe ]; then :
elif [ -L "$place/composer.json" ]; then manifest="unsafe"
elif [ -f "$place/composer.json" ]; then
  if [ "$(wc -c <"$place/composer.json")" -le "$limit" ]; then manifest="file"; else manifest="unsafe"; fi
elif [ -e "$place/composer.json" ]; then manifest="unsafe"
fi
[ "$manifest" != unsafe ] || refuse unsafe
# Asking takes seconds where apt keeps no cache, and a source without a manifest has no use for the answer.
available=
if [ -z "$checkout" ] || [ "$manifest" = file ]; then
  # Every PHP that is installed or could be, by the version of its package.
  names=$(apt-cache pkgnames php | grep -xE 'php[0-9]+\.[0-9]+-fpm')
  # shellcheck disable=SC2086 # Several words.
  available=$([ -z "$names" ] || apt-cache policy -- $names | awk '
    /^php/ { name = substr($1, 4); sub(/-fpm:$/, "", name); own = "" }
    $1 == "Installed:" && $2 != "(none)" { own = $2 }
    $1 == "Candidate:" { release = own == "" ? $2 : own; if (release != "(none)") print name, release }')
fi
field available "$available"
field manifest "$manifest"
if [ "$manifest" = file ]; then field_file text "$place/composer.json"; fi
field end yes
