# scan Homebrew
names=$(brew list --formula -1) || refuse unreadable
info=$(brew info --json=v2 --installed --formula) || refuse unreadable
field names "$names"
field info "$info"
machine_fields
