# read a package of Composer
# Arguments: the package, `yes` to ask what is offered.
installed='[]'
if [ -e "$COMPOSER_HOME/composer.json" ]; then
  installed=$(composer global show --format=json) || refuse unreadable
fi
field installed "$installed"
offered=
if [ "$2" = yes ]; then
  present=
  if [ -e "$COMPOSER_HOME/composer.json" ]; then present=yes; fi
  offered=$(composer global require --dry-run --no-progress --no-audit "$1" 2>&1) || offered=
  # Composer leaves an empty one behind.
  # Unflushed "$COMPOSER_HOME/composer.json": one that a power cut brings back requires nothing.
  if [ ! "$present" ]; then rm -f "$COMPOSER_HOME/composer.json"; fi
fi
field offered "$offered"
field end yes
