import { ROOT_FILES } from '@fleet/shell'

/** What the scripts of private DNS start with. `$1` is the machine's root folder, empty but in tests. */
export const PRIVATE_DNS = `${ROOT_FILES}
root=$1
shift
directory=$root/var/lib/fleet/private-dns
units=$root/etc/systemd/system
names='fleet-dnsmasq.service fleet-private-dns.socket fleet-private-dns.service'
catalog=$directory/catalog.json

# hold: one change at a time on this machine.
hold() { exec 9>"$directory/.lock" && flock -w 20 9 || refuse busy; }

# runs: all three are active; is-active itself is content with one.
runs() { [ "$(systemctl is-active $names | grep -cx active)" = 3 ]; }

# confirmed SHA256: the listener has loaded exactly this catalog.
confirmed() { [ "$(cat "$catalog.loaded")" = "$1" ]; }

# A whole release has its seal: what every write to its files would change. Its digests are read where that differs.
facts_of() (cd "$1" && stat -c '%n %i %s %.9Y %.9Z' .manifest *)
seal() { facts_of "$1" >"$1/.seal" && sync "$1/.seal" "$1"; }
whole() {
  [ -s "$1/.seal" ] && [ "$(cat "$1/.seal")" = "$(facts_of "$1")" ] && return 0
  (cd "$1" && sha256sum --status -c .manifest && seal .)
}

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
`
