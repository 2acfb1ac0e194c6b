# install a package with Vite+
# Arguments: the package.
vp install -g "$1" >/dev/null || refuse failed
sync
field installed yes
