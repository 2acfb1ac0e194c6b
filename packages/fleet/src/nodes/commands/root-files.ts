import { FIELD_WRITERS } from '@fleet/shell'

/**
 * What scripts start with that change files as root (POSIX sh, GNU tools of Debian). A script answers in fields:
 * `refused REASON` alone, or what it was asked for; an exit status other than 0 means that the script itself broke.
 */
export const ROOT_FILES = `
${FIELD_WRITERS}
set -u
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
unset CDPATH
umask 077
exec 2>/dev/null

refuse() { field refused "$1"; exit 0; }

# digest PATH: SHA-256 in hex of a regular file that is no link, else nothing.
digest() { if [ -f "$1" ] && [ ! -L "$1" ]; then sha256sum <"$1" | cut -c 1-64; fi; }

# owned PATH: its mode when it belongs to whoever asks, which is root.
owned() { [ "$(stat -c %u -- "$1")" = "$(id -u)" ] && stat -c %a -- "$1"; }

# sound MODE PATH: its digest when it is root's with this mode.
sound() { if [ "$(owned "$2")" = "$1" ]; then digest "$2"; fi; }

# put MODE PATH: standard input becomes the file, whole and flushed, or everything stays as it was.
put() {
  rm -f -- "$2.fleet-new" \\
    && (set -C && cat >"$2.fleet-new") && chmod "$1" "$2.fleet-new" && sync "$2.fleet-new" \\
    && mv -fT -- "$2.fleet-new" "$2" && sync "\${2%/*}" && return 0
  rm -f -- "$2.fleet-new"
  return 1
}

# directory MODE PATH: a real directory of root's with this mode.
directory() {
  [ ! -L "$2" ] && mkdir -p -- "$2" && chown "$(id -u):$(id -g)" "$2" && chmod "$1" "$2"
}
`
