# install packages
# Arguments: the packages. Nothing is removed for them.
install() { apt --no-install-recommends --no-remove --fix-broken install -- "$@"; }

failed() {
  case $said in
    *'remove is disabled'*)
      field would_remove "$(removed_by --fix-broken install -- "$@")"
      field wanted "$(printf '%s\n' "$@")"
      refuse would_remove
      ;;
  esac
  why
}

finish_interrupted

if ! install "$@"; then
  # Lists that are missing or old: the package is not known, or its file is no longer there.
  case $said in
    *'Unable to locate package'* | *'no installation candidate'* | *'Failed to fetch'* | *'Unable to fetch'*) ;;
    *) failed "$@" ;;
  esac
  update || why
  install "$@" || failed "$@"
fi
# From here on it counts as installed, so it must survive a power cut.
sync
field installed yes
