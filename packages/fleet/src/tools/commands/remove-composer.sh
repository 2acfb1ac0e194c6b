# remove a package with Composer
# Arguments: the package.
composer global remove --no-progress --no-audit "$1" >/dev/null || refuse failed
sync
field removed yes
