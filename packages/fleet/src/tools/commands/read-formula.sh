# read a formula of Homebrew
# Arguments: the formula, `yes` where the newest names are wanted.
if [ "$2" = yes ]; then with_new_names; fi
names=$(brew list --formula -1) || refuse unreadable
field names "$names"
# Unknown to Homebrew by now: the name in the list still says that it is installed.
field info "$(brew info --json=v2 --formula "$1" || :)"
machine_fields
