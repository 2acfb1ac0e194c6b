# remove a cask with Homebrew
# Arguments: the token.
token=homebrew/cask/$1
# The official cask may be gone; what is installed is then known by its token alone.
brew info --json=v2 --cask "$token" >/dev/null || token=$1
brew uninstall --cask "$token" >/dev/null || refuse failed
sync
field removed yes
