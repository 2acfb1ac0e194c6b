# shellcheck shell=sh
# Functions over $directory and $link, the executable's folder and the command that people type.
facts() { stat -c '%i %s %.9Y %.9Z' -- "$1"; }

# Hashing 120 MB takes up to a second, so a seal keeps the digest beside what changes with every write to the file: its
# inode, size and both times. Nobody but root can write it, and root could replace anything.
sealed_digest() {
  [ "$(owned "$directory/.seal")" = 600 ] && [ "$(owned "$directory/fleet")" = 755 ] && [ ! -L "$directory/fleet" ] || return 1
  { read -r sealed && read -r seal_facts; } <"$directory/.seal"
  [ "$seal_facts" = "$(facts "$directory/fleet")" ] && printf '%s' "$sealed"
}

# executable_state: `architecture`, `executable` (SHA-256; empty when it is missing or not root's own 0755), `sealed`,
# `unsealed` (the facts to seal it with, if it is not) and `command` (`own`, `missing` or `foreign`).
executable_state() {
  unsealed=
  if found=$(sealed_digest); then field sealed yes
  else
    unsealed=$(facts "$directory/fleet")
    found=$(sound 755 "$directory/fleet")
    # Written while it was read.
    [ "$unsealed" = "$(facts "$directory/fleet")" ] || unsealed=
    field sealed no
  fi
  field unsealed "$unsealed"
  field architecture "$(uname -m)"
  field executable "$found"
  # A copy of the same program is as good as the link, such as the one that installed the gateway.
  field command "$(command_state "$found")"
}

# command_state DIGEST: of the executable, empty for none.
command_state() {
  if [ "$(readlink -- "$link")" = "$directory/fleet" ]; then echo own
  elif [ ! -e "$link" ] && [ ! -L "$link" ]; then echo missing
  elif [ -n "$1" ] && [ "$(sha256sum <"$link" | cut -c 1-64)" = "$1" ]; then echo own
  else echo foreign; fi
}

# seal_executable DIGEST FACTS
seal_executable() { printf '%s\n%s\n' "$1" "$2" | put 600 "$directory/.seal"; }

# link_command: the command, where nothing has its name.
link_command() {
  umask 022
  [ -e "$link" ] || [ -L "$link" ] || { make_folder "${link%/*}" && link_to "$directory/fleet" "$link"; }
}

# remove_executable: with its own link, unless a unit in $units runs it. Below $root.
remove_executable() {
  if grep -qsF -- "${directory#"$root"}/fleet" "$units"/*.service; then return 0; fi
  if [ "$(readlink -- "$link")" = "$directory/fleet" ]; then remove "$link" || return 1; fi
  remove_tree "$directory" || return 1
  remove_empty "${directory%/*}"
  return 0
}
