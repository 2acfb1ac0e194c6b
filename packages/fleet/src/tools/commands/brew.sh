# shellcheck shell=sh
# $1: root folder. Homebrew of the login user: where it is, that it is his, and that it came from its own place.
official=https://github.com/Homebrew/brew
system=$(uname -s)
prefix=$1/home/linuxbrew/.linuxbrew
repository=$prefix
if [ "$system" = Darwin ]; then
  prefix=$1/opt/homebrew
  repository=$prefix
  if [ ! -e "$prefix" ] && [ -e "$1/usr/local/Homebrew" ]; then prefix=$1/usr/local repository=$1/usr/local/Homebrew; fi
fi
shift
repository_git() { GIT_CONFIG_SYSTEM=/dev/null git -C "$repository" "$@" </dev/null; }
scope() {
  if [ ! -e "$repository" ] && [ ! -L "$repository" ]; then echo absent; return; fi
  if [ -L "$repository" ] || [ ! -O "$repository" ] || [ ! -d "$repository/.git" ]; then echo conflicting; return; fi
  [ "$(repository_git config --local --get remote.origin.url)" = "$official" ] || { echo conflicting; return; }
  if [ "$repository" = "$prefix" ]; then
    if [ -L "$prefix/bin/brew" ] || [ ! -f "$prefix/bin/brew" ]; then echo conflicting; return; fi
  elif [ "$(readlink "$prefix/bin/brew")" != ../Homebrew/bin/brew ]; then echo conflicting; return; fi
  echo accepted
}
HOMEBREW_NO_AUTO_UPDATE=1
HOMEBREW_NO_ANALYTICS=1
HOMEBREW_NO_ENV_HINTS=1
HOMEBREW_NO_INSTALLED_DEPENDENTS_CHECK=1
HOMEBREW_NO_INSTALL_CLEANUP=1
export HOMEBREW_NO_AUTO_UPDATE HOMEBREW_NO_ANALYTICS HOMEBREW_NO_ENV_HINTS
export HOMEBREW_NO_INSTALLED_DEPENDENTS_CHECK HOMEBREW_NO_INSTALL_CLEANUP
unset HOMEBREW_FORCE_API_AUTO_UPDATE
brew() { (cd / && "$prefix/bin/brew" "$@" </dev/null); }
# Before an installation, macOS asks for the newest names; Fleet pins what Linux has.
with_new_names() {
  if [ "$system" = Darwin ]; then HOMEBREW_FORCE_API_AUTO_UPDATE=1; export HOMEBREW_FORCE_API_AUTO_UPDATE; fi
}
machine_fields() {
  field system "$system"
  field machine "$(uname -m)"
  field release "$(if [ "$system" = Darwin ]; then sw_vers -productVersion; fi)"
  field prefix "$prefix"
  field home "${HOME-}"
}
