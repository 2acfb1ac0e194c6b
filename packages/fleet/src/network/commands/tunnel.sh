# What the scripts of the tunnel start with. Arguments: the root folder of the machine, empty but in tests.
root=$1
shift
folder=$root/etc/wireguard
link=fleet
unit=wg-quick@fleet.service
# Of every tunnel file that Fleet writes; what does not begin so is somebody else's.
written='# Written by Fleet. Changes made here are replaced.'

# hold: one change of the tunnel or its resolver at a time on this machine.
hold() {
  make_folder "$root/run/lock"
  take_peer_lock || refuse busy
}
let_go() { exec 9>&-; }

tools() { command -v wg >/dev/null && command -v wg-quick >/dev/null || refuse tools_missing; }

# own: the key that makes this machine the member it is.
own() {
  [ "$(owned "$folder/fleet.key")" = 600 ] || return 1
  key=$(cat "$folder/fleet.key") && public=$(wg pubkey <"$folder/fleet.key") && [ -n "$public" ]
}

# is TEXT PATH MODE: the file has exactly this text and is root's; an empty text means that there is none.
is() {
  if [ -z "$1" ]; then
    [ ! -e "$2" ] && [ ! -L "$2" ]
  else
    [ "$(sound "$3" "$2")" = "$(printf '%s' "$1" | sha256sum | cut -c 1-64)" ]
  fi
}

# keep TEXT PATH MODE: makes it so and notes in changed that it was not; nothing is written that stands there.
keep() {
  is "$1" "$2" "$3" && return 0
  changed=yes
  if [ -z "$1" ]; then remove "$2"; return; fi
  # Others than root read these folders, such as systemd-resolved.
  (umask 022; make_folder "${2%/*}") && printf '%s' "$1" | put "$3" "$2"
}

# was PATH: its text and an x; an x alone for a file that is not there.
was() { if [ -f "$1" ] && [ ! -L "$1" ]; then cat "$1"; fi; printf x; }

has_link() { wg show "$link" public-key >/dev/null; }
