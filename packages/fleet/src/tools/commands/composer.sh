# shellcheck shell=sh
# $1: root folder. The global Composer of the managed user, in a home of its own.
COMPOSER_HOME=$1/opt/orbit/composer
COMPOSER_NO_INTERACTION=1
COMPOSER_ALLOW_SUPERUSER=1
export COMPOSER_HOME COMPOSER_NO_INTERACTION COMPOSER_ALLOW_SUPERUSER
shift
[ -e "$COMPOSER_HOME" ] || [ -L "$COMPOSER_HOME" ] || refuse absent
if [ -L "$COMPOSER_HOME" ] || [ ! -d "$COMPOSER_HOME" ] || [ ! -O "$COMPOSER_HOME" ]; then refuse conflicting; fi
command -v composer >/dev/null || refuse program_absent
composer() { command composer --no-ansi "$@" </dev/null; }
