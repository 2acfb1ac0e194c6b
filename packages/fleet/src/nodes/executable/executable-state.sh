# Over $directory and $link. Answers the fields architecture, executable (SHA-256; empty when it is missing or not root's own
# 0755), sealed, unsealed (the facts to seal it with, if it is not) and command (own, missing or foreign). Hashing 120 MB takes
# up to a second, so a seal keeps the digest beside what changes with every write to the file: its inode, size and both times.
# Nobody but root can write it, and root could replace anything.
facts_of() { stat -c '%i %s %.9Y %.9Z' -- "$1"; }
sealed_digest() {
  [ "$(owned "$directory/.seal")" = 600 ] && [ "$(owned "$directory/fleet")" = 755 ] && [ ! -L "$directory/fleet" ] || return 1
  { read -r sealed && read -r facts; } <"$directory/.seal"
  [ "$facts" = "$(facts_of "$directory/fleet")" ] && printf '%s' "$sealed"
}
executable_state() {
  unsealed=
  if found=$(sealed_digest); then field sealed yes
  else
    unsealed=$(facts_of "$directory/fleet")
    found=$(sound 755 "$directory/fleet")
    # Written while it was read.
    [ "$unsealed" = "$(facts_of "$directory/fleet")" ] || unsealed=
    field sealed no
  fi
  field unsealed "$unsealed"
  field architecture "$(uname -m)"
  field executable "$found"
  # A copy of the same program is as good as the link, such as the one that installed the gateway.
  if [ "$(readlink -- "$link")" = "$directory/fleet" ]; then field command own
  elif [ ! -e "$link" ] && [ ! -L "$link" ]; then field command missing
  elif [ -n "$found" ] && [ "$(sha256sum <"$link" | cut -c 1-64)" = "$found" ]; then field command own
  else field command foreign; fi
}
