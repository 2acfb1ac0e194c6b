import { Secret } from '@fleet/kernel'
import { type Command, script, withStdin } from '@fleet/shell'
import { PRIVATE_DNS } from '#/dns/commands/library.ts'
import type { DnsPlace, Release } from '#/dns/release.ts'
import { executableFile, type ExecutablePlace } from '#/nodes/api.ts'

/**
 * Makes the release's directory beside the ones before it, tries it, and switches units and services to it; a start that
 * fails brings units and services back (RTX-103, RTX-114). Answers `installed`, or refuses.
 */
export function installDns({ root }: DnsPlace, executable: ExecutablePlace, release: Release): Command {
  const contents = [
    release.manifest,
    release.files['dnsmasq.conf'],
    release.files['fleet-dnsmasq.service'],
    release.files['fleet-private-dns.socket'],
    release.files['fleet-private-dns.service'],
  ]
  const head = `${contents.map((text) => Buffer.byteLength(text)).join(' ')}\n`
  return withStdin(
    script(SOURCE, root, executableFile(executable), release.id),
    new Secret(head + contents.join('')),
  )
}

export const installReasons = {
  busy: 'dns.busy',
  write_failed: 'dns.write_failed',
  self_test_failed: 'dns.self_test_failed',
  start_failed: 'dns.start_failed',
} as const

const SOURCE = `# install the private DNS
${PRIVATE_DNS}
program=$1 id=$2
umask 022
# The folder above may be the home of the gateway, whose mode is its own.
[ -d "\${directory%/*}" ] || mkdir -p -- "\${directory%/*}"
directory 755 "$directory" && directory 755 "$directory/releases" || refuse write_failed
hold
release=$directory/releases/$id
candidate=$directory/releases/.candidate
before=$directory/.units-before
rm -rf -- "$candidate"

# A program is large: the one of the release before costs nothing under another name, when it is the same.
program_into() {
  earlier=$(sed -n 's,  fleet$,,p' "$1/.manifest")
  for old in "$directory/releases"/*; do
    if [ "$(sed -n 's,  fleet$,,p' "$old/.manifest")" = "$earlier" ]; then ln -- "$old/fleet" "$1/fleet" && return; fi
  done
  cp --reflink=auto -- "$program" "$1/fleet"
}
fill() {
  mkdir -- "$candidate" && read -r manifest conf dnsmasq socket listener || return 1
  head -c "$manifest" >"$candidate/.manifest" && head -c "$conf" >"$candidate/dnsmasq.conf" &&
    head -c "$dnsmasq" >"$candidate/fleet-dnsmasq.service" &&
    head -c "$socket" >"$candidate/fleet-private-dns.socket" &&
    head -c "$listener" >"$candidate/fleet-private-dns.service" || return 1
  program_into "$candidate" && chmod 755 "$candidate/fleet" || return 1
  # The one before was damaged, perhaps.
  (cd "$candidate" && sha256sum --status -c .manifest) ||
    { cp --remove-destination --reflink=auto -- "$program" "$candidate/fleet" && chmod 755 "$candidate/fleet" &&
      (cd "$candidate" && sha256sum --status -c .manifest); } || return 1
  sync "$candidate"/* "$candidate/.manifest" "$candidate"
}
fill || { rm -rf -- "$candidate"; refuse write_failed; }
HOME=/nonexistent timeout 60 "$candidate/fleet" node-dns serve --self-test </dev/null >/dev/null &&
  dnsmasq --test --conf-file="$candidate/dnsmasq.conf" </dev/null >/dev/null ||
  { rm -rf -- "$candidate"; refuse self_test_failed; }
# What is whole already may be running: it stays.
if [ -d "$release" ] && whole "$release"; then rm -rf -- "$candidate"
else
  rm -rf -- "$release" && mv -T -- "$candidate" "$release" && seal "$release" && sync "$directory/releases" ||
    refuse write_failed
fi

same() { cmp -s -- "$units/$1" "$2/$1"; }
# switch FOLDER: its units are the machine's, those that it lacks are none; then everything runs as they say.
switch() {
  socket_stays=$(same fleet-private-dns.socket "$1" && echo yes)
  for unit in $names; do
    if [ -f "$1/$unit" ]; then same "$unit" "$1" || put 644 "$units/$unit" <"$1/$unit" || return 1
    elif [ -e "$units/$unit" ]; then systemctl disable --now "$unit"; rm -f -- "$units/$unit"; fi
  done
  sync "$units"
  systemctl daemon-reload
}
start() {
  # A new process confirms the catalog anew; one that could not be loaded before says nothing about it.
  last=$(digest "$catalog")
  confirmed "$last" || last=
  rm -f -- "$catalog.loaded"
  systemctl reset-failed $names
  systemctl enable $names && systemctl restart fleet-dnsmasq.service || return 1
  # Questions wait in a socket that stays; another address needs another socket.
  if [ "$socket_stays" != yes ] || ! systemctl is-active --quiet fleet-private-dns.socket; then
    systemctl stop fleet-private-dns.service
    systemctl restart fleet-private-dns.socket || return 1
  fi
  systemctl restart fleet-private-dns.service || return 1
  if [ -n "$last" ]; then within 20 confirmed "$last" || return 1; fi
  sleep 0.5
  runs
}
# Debian's own service takes port 53 of every address, or fails where it cannot; one that nobody configured came with the package.
release_port() {
  systemctl is-enabled --quiet dnsmasq.service || return 0
  [ -z "$(find "$root/etc/dnsmasq.d" -type f ! -name README)" ] || return 0
  grep -Eqsv '^[[:space:]]*(#|$)' "$root/etc/dnsmasq.conf" && return 0
  systemctl disable --now dnsmasq.service
  systemctl reset-failed dnsmasq.service
}

rm -rf -- "$before" && mkdir -- "$before" || refuse write_failed
for unit in $names; do [ ! -f "$units/$unit" ] || cp -p -- "$units/$unit" "$before/$unit" || refuse write_failed; done
previous=$(sed -n 's,^ExecStart=.*/releases/\\([0-9a-f]*\\)/fleet .*,\\1,p' "$before/fleet-private-dns.service")
release_port
if ! { switch "$release" && start; }; then
  switch "$before"
  [ ! -f "$before/fleet-private-dns.service" ] || start
  refuse start_failed
fi
rm -rf -- "$before"
# The same one again was a repair: what came before it stays.
[ "$previous" = "$id" ] || for old in "$directory/releases"/*; do
  case \${old##*/} in "$id" | "$previous") ;; *) rm -rf -- "$old" ;; esac
done
field installed "$id"
`
