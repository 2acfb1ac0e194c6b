# shellcheck shell=sh
# $1: root folder. The Vite+ of the login user: the first store with a program.
store=
stores=0
for place in "$1/opt/orbit/vite-plus" "${HOME-}/.vite-plus" "${HOME-}/.local/share/vite-plus"; do
  if [ ! -e "$place" ] && [ ! -L "$place" ]; then continue; fi
  stores=$((stores + 1))
  if [ -z "$store" ] && { [ -e "$place/bin/vp" ] || [ -L "$place/bin/vp" ]; }; then store=$place; fi
done
shift
[ "$stores" -gt 0 ] || refuse absent
# Fleet installs none on macOS, so with two it could not say which one its user means.
if [ "$(uname -s)" = Darwin ] && [ "$stores" -gt 1 ]; then refuse conflicting; fi
if [ -z "$store" ] || [ -L "$store" ] || [ ! -d "$store" ] || [ ! -O "$store" ]; then refuse conflicting; fi
if [ ! -f "$store/bin/vp" ] || [ ! -x "$store/bin/vp" ]; then refuse conflicting; fi
VP_HOME=$store
export VP_HOME
# Elsewhere a project could say which package manager it uses.
vp() { (cd / && "$VP_HOME/bin/vp" "$@" </dev/null); }
