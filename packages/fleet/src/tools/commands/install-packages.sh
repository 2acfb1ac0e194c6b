# install packages
# Arguments: the packages.
install() { apt --no-install-recommends --fix-broken install -- "$@"; }

finish_interrupted

if ! install "$@"; then
  # Lists that are missing or old: the package is not known, or its file is no longer there.
  case $said in
    *'Unable to locate package'* | *'no installation candidate'* | *'Failed to fetch'* | *'Unable to fetch'*) ;;
    *) why ;;
  esac
  update || why
  install "$@" || why
fi
# From here on it counts as installed, so it must survive a power cut.
sync
field installed yes
