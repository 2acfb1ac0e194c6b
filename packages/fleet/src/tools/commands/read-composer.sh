# read a package of Composer
# Arguments: the package, `yes` to ask what is offered.
installed='[]'
if [ -e "$COMPOSER_HOME/composer.json" ]; then
  installed=$(composer global show --format=json) || refuse unreadable
fi
field installed "$installed"
offered=
if [ "$2" = yes ]; then offered=$(composer global show --available --format=json "$1") || offered=; fi
field offered "$offered"
field end yes
