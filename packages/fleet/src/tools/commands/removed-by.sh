# shellcheck shell=sh
# removed_by WORD…: the packages that apt would remove to install these, by its own record of what it would do, a line each.
removed_by() {
  apt-get -q -s --no-install-recommends "$@" 2>/dev/null </dev/null | sed -n 's/^Remv \([^ ]*\).*/\1/p' | head -n 20
}
