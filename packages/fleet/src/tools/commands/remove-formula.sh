# remove a formula with Homebrew
# Arguments: the formula.
brew uninstall --formula "$1" >/dev/null || refuse failed
sync
field removed yes
