# Files of root, with the GNU tools of Debian. Each name is flushed.

# move FROM TO: in the place of a file, never into a folder.
move() { mv -fT -- "$1" "$2" && flush_names "$2"; }

# link_to TARGET PATH: where nothing stands.
link_to() { ln -sT -- "$1" "$2" && flush_names "$2"; }

# digest PATH: SHA-256 in hex of a regular file that is no link, else nothing.
digest() {
  if [ -f "$1" ] && [ ! -L "$1" ]; then digest_line=$(sha256sum <"$1") && printf '%s\n' "${digest_line%% *}"; fi
}

# Whoever runs this: asked once, since scripts compare many owners, and where the kernel tells it without a program.
own_uid='' own_gid=''
while [ -z "$own_gid" ] && read -r own_key _ own_id _; do
  case $own_key in Uid:) own_uid=$own_id ;; Gid:) own_gid=$own_id ;; esac
done </proc/self/status
[ -n "$own_gid" ] || own_uid=$(id -u) own_gid=$(id -g)

# owned PATH: its mode when it belongs to whoever asks, which is root.
owned() {
  owner_and_mode=$(stat -c '%u %a' -- "$1") && [ "${owner_and_mode% *}" = "$own_uid" ] && printf '%s\n' "${owner_and_mode#* }"
}

# sound MODE PATH: its digest when it is root's with this mode.
sound() { if [ "$(owned "$2")" = "$1" ]; then digest "$2"; fi; }

# put MODE PATH: standard input becomes the file, whole and flushed, or everything stays as it was.
put() {
  # Unflushed "$2.fleet-new": the move flushes the folder.
  rm -f -- "$2.fleet-new" &&
    (set -C && cat >"$2.fleet-new") && chmod "$1" "$2.fleet-new" && flush "$2.fleet-new" &&
    move "$2.fleet-new" "$2" && return 0
  remove "$2.fleet-new"
  return 1
}

# directory MODE PATH: a real directory of root's with this mode.
directory() {
  if [ ! -L "$2" ] && [ -d "$2" ] && [ "$(stat -c '%a %u %g' -- "$2")" = "$1 $own_uid $own_gid" ]; then return 0; fi
  [ ! -L "$2" ] && make_folder "$2" && chown "$own_uid:$own_gid" "$2" && chmod "$1" "$2"
}
