import { FIELD_WRITERS, type Word } from '@fleet/shell'

/** Where an Instance's `.env` stands and who owns it (ENV-018, ENV-019). Derived from the record, never from a request. */
export interface EnvironmentPlace {
  /** User the file belongs to. */
  readonly user: string
  /** Absolute path of the Project's folder, or of the production home. No link, and no step below it is one. */
  readonly root: string
  /** Directory of the file below the root; empty for the root itself. */
  readonly directory: string
}

export const placeWords = ({ user, root, directory }: EnvironmentPlace): readonly Word[] => [
  user,
  root,
  directory,
]

/**
 * What both scripts start with (POSIX sh; GNU, BSD and BusyBox tools). A script answers in fields: `refused REASON` alone,
 * or what it was asked for; an exit status other than 0 means that the script itself broke.
 * After `enter` every path is relative to the directory itself, so one exchanged meanwhile cannot lead elsewhere.
 */
export const PREAMBLE = `
${FIELD_WRITERS}
set -u
LC_ALL=C
export LC_ALL
unset CDPATH
umask 077
exec 2>/dev/null
user=$1 root=$2 directory=$3
shift 3

refuse() { field refused "$1"; exit 0; }

enter() {
  [ "$(id -un)" = "$user" ] || refuse user_mismatch
  [ ! -L "$root" ] || refuse directory_link
  cd -P -- "$root" || refuse directory_missing
  top=$(pwd -P)
  if [ -n "$directory" ]; then
    cd -P -- "./$directory" || refuse directory_missing
    # The physical path differs as soon as one step on the way is a link.
    [ "$(pwd -P)" = "\${top%/}/$directory" ] || refuse directory_link
  fi
}

# A killed attempt may have left its candidate behind. One that still runs cannot rename it any more.
sweep() {
  for left in ./.env.fleet-sync-*; do
    if [ -f "$left" ] && [ ! -L "$left" ]; then rm -f -- "$left"; fi
  done
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
  set -- $(ls -ldn ./.env)
  set +f
  case $1 in -rw-------*) mode=private ;; *) mode=shared ;; esac
  size=\${5:-0}
}
`
