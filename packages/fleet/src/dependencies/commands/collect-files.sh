# read the manifests and lock files of a project
# Arguments: their owner, the absolute directory, the most bytes of all files together, then for each file its name and the
# most bytes of it, 0 where only its existence matters. Each file is read twice; the caller compares.
user=$1 directory=$2 most=$3
shift 3
if command -v sha256sum >/dev/null; then tool='sha256sum'
elif command -v shasum >/dev/null; then tool='shasum -a 256'
elif command -v openssl >/dev/null; then tool='openssl dgst -sha256 -r'
else refuse digest_missing; fi

# The physical path differs as soon as one component is a link.
enter() {
  cd -P -- "$directory" || { problem=directory_missing; return 1; }
  [ "$(pwd -P)" = "$directory" ] || { problem=directory_link; return 1; }
  [ -O . ] || { problem=directory_owner; return 1; }
}

# The number of the directory itself: one that was exchanged for another has another.
number() {
  set -f
  # shellcheck disable=SC2046,SC2012 # Words of ls -n before any name.
  set -- $(ls -ldin .)
  set +f
  echo "$1"
}

# look NAME LIMIT: in $found one word, and for a file its number, mode, size and time; in $size its size.
look() {
  size=0
  if [ -L "./$1" ]; then found='link'
  elif [ ! -e "./$1" ]; then found=absent
  elif [ ! -f "./$1" ]; then found=irregular
  elif [ "$2" -eq 0 ]; then found=present
  elif [ ! -O "./$1" ]; then found=foreign
  elif [ ! -r "./$1" ]; then found=unreadable
  else
    limit=$2
    set -f
    # shellcheck disable=SC2046,SC2012 # Words of ls -n before the name, which is one of Fleet's own.
    set -- $(ls -ldin "./$1")
    set +f
    size=${6:-0}
    if [ "$size" -gt "$limit" ]; then found=large; size=0
    else found="file ${1:-} ${2:-} $size ${7:-} ${8:-} ${9:-}"; fi
  fi
}

[ "$(id -un)" = "$user" ] || refuse user_mismatch
enter || refuse "$problem"
before=$(number)
total=0
for argument in "$@"; do
  if [ -z "${name-}" ]; then name=$argument; continue; fi
  look "$name" "$argument"
  total=$((total + size))
  [ "$total" -le "$most" ] || refuse files_too_large
  field "first_$name" "$found"
  # A file that grows meanwhile is cut; its second reading then differs.
  case $found in file\ *) field "content_$name" "$(head -c "$argument" "./$name" | base64)" ;; esac
  name=
done
enter && [ "$(number)" = "$before" ] || refuse directory_changed
for argument in "$@"; do
  if [ -z "${name-}" ]; then name=$argument; continue; fi
  look "$name" "$argument"
  field "second_$name" "$found"
  case $found in file\ *)
    sum=$($tool <"./$name")
    field "digest_$name" "${sum%% *}"
  esac
  name=
done
