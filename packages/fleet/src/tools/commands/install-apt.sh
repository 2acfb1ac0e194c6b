# install a package with apt
# Arguments: the package. Nothing is removed for it.
lock_seconds=300
install() { apt --no-install-recommends --no-remove --fix-broken install -- "$1"; }
# Where no package has this name, apt reads it as a pattern.
known() { apt-cache policy -- "$1" | grep -qxF "$1:"; }
finish_interrupted
known "$1" || refuse unavailable
if ! install "$1"; then
  # Lists that are old: the file is no longer there.
  case $said in
    *'Failed to fetch'* | *'Unable to fetch'*) { update && install "$1"; } || why ;;
    *'remove is disabled'*) refuse would_remove ;;
    *) why ;;
  esac
fi
# From here on it counts as installed, so it must survive a power cut.
sync
field installed yes
