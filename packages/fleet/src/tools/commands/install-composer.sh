# install a package with Composer
# Arguments: the package.
composer global require --no-progress --no-audit "$1" >/dev/null || refuse failed
sync
field installed yes
