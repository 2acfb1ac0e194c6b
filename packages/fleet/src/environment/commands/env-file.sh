# What scripts on an environment file start with, in the words of GNU, BSD and BusyBox tools. Arguments: the user who owns the
# file, the folder that is no link, the directory of the file below it, and the name of the file. After `enter` every path is relative to the
# directory itself, so one exchanged meanwhile cannot lead elsewhere.
user=$1 root=$2 directory=$3 file=./$4
shift 4

enter() {
  [ "$(id -un)" = "$user" ] || refuse user_mismatch
  [ ! -L "$root" ] || refuse directory_link
  cd -P -- "$root" || refuse directory_missing
  top=$(pwd -P)
  if [ -n "$directory" ]; then
    cd -P -- "./$directory" || refuse directory_missing
    # The physical path differs as soon as one step on the way is a link.
    [ "$(pwd -P)" = "${top%/}/$directory" ] || refuse directory_link
  fi
}

# A killed attempt, or a power cut, may have left its candidate behind, values and all. One that still runs cannot rename
# it any more. Only what has one of the fleet's own names: others may call a file something like them.
x4='[0-9a-f][0-9a-f][0-9a-f][0-9a-f]'
sweep() {
  swept=no
  # Those of a synchronization, of the creation that made the first file, and of a change of its `APP_URL`.
  for left in ./.env.fleet-sync-$x4$x4$x4$x4 ./.env.fleet-$x4$x4-$x4-$x4-$x4-$x4$x4$x4 ./.env.fleet-url; do
    if [ -f "$left" ] && [ ! -L "$left" ]; then rm -f -- "$left" && swept=yes; fi
  done
  if [ "$swept" = yes ]; then flush .; fi
}

why() {
  case $1 in
    *'Read-only file system'*) echo storage_read_only ;;
    *'No space left'* | *[Qq]'uota exceeded'*) echo storage_full ;;
    *) echo "$2" ;;
  esac
}

# One program tells mode and size: every program a script starts costs a millisecond. An access list may follow the mode;
# its mask is the group part, so that 0600 leaves nobody else any access.
look() {
  set -f
  # shellcheck disable=SC2046,SC2012 # Words of ls -n, whose last one is a name of Fleet's own.
  set -- $(ls -ldn "$file")
  set +f
  case $1 in -rw-------*) mode=private ;; *) mode=shared ;; esac
  size=${5:-0}
}

# tracking CHECKOUT: whether Git of the directory below the folder has the file. By its own repository: that of a folder above knows nothing of the file.
tracking() {
  GIT_DIR=${top%/}/$1/.git GIT_WORK_TREE=${top%/}/$1 GIT_OPTIONAL_LOCKS=0 \
    git -c core.fsmonitor=false ls-files --error-unmatch -- ":(literal)$file" >/dev/null
  case $? in
    0) echo tracked ;;
    1) echo untracked ;;
    *) echo unknown ;;
  esac
}
