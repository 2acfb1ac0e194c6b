# shellcheck shell=sh
# The catalog of private DNS below the root folder, which is the first argument.
root=$1
shift
directory=$root/var/lib/fleet/private-dns
catalog=$directory/catalog.json

# runs: all units in $names are active; is-active itself is content with one.
# shellcheck disable=SC2086
runs() { [ "$(systemctl is-active $names | grep -cx active)" = 3 ]; }

# shellcheck disable=SC2086
boots() { [ "$(systemctl is-enabled $names | grep -cx enabled)" = 3 ]; }

# confirmed SHA256: the listener has loaded exactly this catalog.
confirmed() { [ "$(cat "$catalog.loaded")" = "$1" ]; }

# within SECONDS COMMAND…: tries it again and again until then.
within() {
  tries=$(($1 * 20))
  shift
  until "$@"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.05
  done
}
