# Files that survive a power cut: a name that was changed is on the disk before the script goes on.

# flush PATH: a file, or the names in a folder. Only GNU's sync takes one path and tells when that fails.
flush() {
  sync "$1" && return 0
  if sync --version >/dev/null; then return 1; fi
  sync
}

# flush_names PATH: those beside the path, its own among them.
flush_names() {
  case $1 in */*) flush "${1%/*}/" ;; *) flush . ;; esac
}

# move FROM TO: in the place of a file, never into a folder.
move() { mv -fT -- "$1" "$2" && flush_names "$2"; }

# remove PATH: no matter whether it is there.
remove() {
  if [ -e "$1" ] || [ -L "$1" ]; then rm -f -- "$1" && flush_names "$1"; fi
}

# remove_empty PATH: a folder with nothing in it.
remove_empty() { rmdir -- "$1" && flush_names "$1"; }

# link_to TARGET PATH: where nothing stands.
link_to() { ln -sT -- "$1" "$2" && flush_names "$2"; }

# make_folder PATH: with every parent that is missing.
make_folder() {
  if [ -d "$1" ]; then return 0; fi
  case $1 in */*/*) make_folder "${1%/*}" || return 1 ;; esac
  { mkdir -- "$1" || [ -d "$1" ]; } && flush_names "$1"
}

# digest PATH: SHA-256 in hex of a regular file that is no link, else nothing.
digest() { if [ -f "$1" ] && [ ! -L "$1" ]; then sha256sum <"$1" | cut -c 1-64; fi; }

# owned PATH: its mode when it belongs to whoever asks, which is root.
owned() { [ "$(stat -c %u -- "$1")" = "$(id -u)" ] && stat -c %a -- "$1"; }

# sound MODE PATH: its digest when it is root's with this mode.
sound() { if [ "$(owned "$2")" = "$1" ]; then digest "$2"; fi; }

# put MODE PATH: standard input becomes the file, whole and flushed, or everything stays as it was.
put() {
  rm -f -- "$2.fleet-new" &&
    (set -C && cat >"$2.fleet-new") && chmod "$1" "$2.fleet-new" && flush "$2.fleet-new" &&
    move "$2.fleet-new" "$2" && return 0
  rm -f -- "$2.fleet-new"
  return 1
}

# directory MODE PATH: a real directory of root's with this mode.
directory() {
  [ ! -L "$2" ] && make_folder "$2" && chown "$(id -u):$(id -g)" "$2" && chmod "$1" "$2"
}
