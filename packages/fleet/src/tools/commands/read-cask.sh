# read a cask of Homebrew
# Arguments: the token, `yes` where the newest names are wanted.
if [ "$2" = yes ]; then with_new_names; fi
field info "$(brew info --json=v2 --cask "homebrew/cask/$1" || :)"
# Ends with 1 for a cask that is not installed.
field versions "$(brew list --versions --cask "$1" || :)"
machine_fields
