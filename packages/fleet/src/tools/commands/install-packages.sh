# install packages
# Arguments: the packages.
install() { apt --no-install-recommends --fix-broken install -- "$@"; }

# A machine that lost its power in the middle has packages that only this can finish.
interrupted() {
  [ -n "$(ls -A /var/lib/dpkg/updates)" ] ||
    dpkg-query -W -f '${db:Status-Status}\n' | grep -qv -e '^installed$' -e '^config-files$' -e '^not-installed$'
}
if interrupted; then said=$(dpkg --configure -a --force-confdef --force-confold 2>&1 >/dev/null </dev/null); fi

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
