#!/bin/sh
# Installs the gateway of this release on this machine: ./install --help
set -e
case $0 in
  */*) here=$(cd -P "${0%/*}" && pwd) ;;
  *) here=$(pwd -P) ;;
esac
if [ ! -x "$here/bin/fleet" ]; then
  gzip -dc "$here/bin/fleet.gz" >"$here/bin/fleet.new"
  chmod 0755 "$here/bin/fleet.new"
  mv "$here/bin/fleet.new" "$here/bin/fleet"
fi
exec "$here/bin/fleet-gateway" install "$@"
