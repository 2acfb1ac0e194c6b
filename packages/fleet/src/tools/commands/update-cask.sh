# update a cask with Homebrew
# Arguments: the token.
with_new_names
brew upgrade --cask "homebrew/cask/$1" >/dev/null || refuse failed
sync
field installed yes
