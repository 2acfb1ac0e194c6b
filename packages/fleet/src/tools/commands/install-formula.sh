# install a formula with Homebrew
# Arguments: the formula.
with_new_names
brew install --formula --force-bottle "$1" >/dev/null || refuse failed
sync
field installed yes
