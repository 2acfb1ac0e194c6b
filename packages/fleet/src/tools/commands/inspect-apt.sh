# look at apt
set -u
LC_ALL=C
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
command -v apt-get >/dev/null || exit 1
dpkg-query -W -f '${Version}' apt 2>/dev/null
