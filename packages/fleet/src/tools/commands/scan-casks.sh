# scan the casks of Homebrew
versions=$(brew list --versions --cask) || refuse unreadable
info=$(brew info --json=v2 --installed --cask) || refuse unreadable
field versions "$versions"
field info "$info"
machine_fields
