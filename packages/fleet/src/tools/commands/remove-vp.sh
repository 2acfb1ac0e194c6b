# remove a package with Vite+
# Arguments: the package.
vp remove -g "$1" >/dev/null || refuse failed
sync
field removed yes
