# inspect apt
command -v apt-get >/dev/null && version=$(dpkg-query -W -f '${Version}' apt) || exit 1
field version "$version"
