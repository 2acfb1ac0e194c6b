import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type LocalPool, localPool } from './local-pool.ts'

/**
 * A folder that simulates the root of a machine, with its own programs for WireGuard, systemd and its resolver, so that
 * the real scripts run here without root. The programs keep their state in files that a test reads and writes.
 */
export interface TunnelMachine extends Disposable {
  readonly root: string
  readonly pool: LocalPool
  /** Text of a file below the root; undefined when there is none. */
  read(path: string): string | undefined
  write(path: string, text: string, mode?: number): void
  remove(path: string): void
  /** State of the programs: `link` while the tunnel is up, `peers`, `endpoints`, `dns`, `domain`, `calls`. A program fails for
   * `fail-PROGRAM-WORD`, resolvectl for the words in `refused`, systemd-resolved starts unless `no-resolved`,
   * and every file is `immutable`. */
  state(name: string): string
  set(name: string, text?: string): void
  unset(name: string): void
}

export function tunnelMachine(): TunnelMachine {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet tunnel-')))
  const [root, bin, states] = [join(home, 'root'), join(home, 'bin'), join(home, 'state')]
  for (const folder of [root, bin, states]) mkdirSync(folder)
  for (const folder of ['run/lock', 'run/systemd/resolve', 'etc/wireguard'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const [name, text] of Object.entries(PROGRAMS)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nS='${states}'\nROOT='${root}'\n${COMMON}${text}`)
    chmodSync(join(bin, name), 0o755)
  }
  writeFileSync(join(states, 'resolved'), '')
  writeFileSync(join(root, 'run/systemd/resolve/resolv.conf'), 'nameserver 192.0.2.53\n')
  writeFileSync(join(root, 'run/systemd/resolve/stub-resolv.conf'), 'nameserver 127.0.0.53\n')
  symlinkSync('../run/systemd/resolve/stub-resolv.conf', join(root, 'etc/resolv.conf'))
  const pool = localPool({ home, env: { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin` } })
  const textOf = (path: string): string | undefined =>
    existsSync(path) ? readFileSync(path, 'utf8') : undefined
  return {
    root,
    pool,
    read: (path) => textOf(join(root, path)),
    write: (path, text, mode = 0o600) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
      chmodSync(join(root, path), mode)
    },
    remove: (path) => rmSync(join(root, path), { force: true }),
    state: (name) => textOf(join(states, name)) ?? '',
    set: (name, text = '') => writeFileSync(join(states, name), text),
    unset: (name) => rmSync(join(states, name), { force: true }),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

const COMMON = `name=$(basename -- "$0")
case "$name $1 $3" in
  'wg show'*|'wg pubkey'*|'ip '*|'flock '*|'systemctl is-'*|'resolvectl d'*' '|'resolvectl llmnr '|'resolvectl mdns ') ;;
  *) echo "$name $*" >>"$S/calls" ;;
esac
[ ! -e "$S/fail-$name-$1" ] || exit 1
`

const PROGRAMS: Readonly<Record<string, string>> = {
  lsattr: `[ ! -e "$S/immutable" ] || echo "----i---------e------- list"\n`,
  wg: `without() { grep -v "^$peer" "$S/$1" >"$S/new"; mv "$S/new" "$S/$1"; }
case $1 in
  genkey) date +%N | sha256sum | cut -c 1-42 | sed 's/$/A=/' ;;
  pubkey) sha256sum | cut -c 1-42 | sed 's/$/A=/' ;;
  show)
    [ -e "$S/link" ] || exit 1
    case $3 in
      public-key) cat "$S/public" ;;
      private-key) cat "$S/private" ;;
      listen-port) cat "$S/port" ;;
      allowed-ips) cat "$S/peers" ;;
      endpoints) while read -r key _; do echo "$key	$(awk -v k="$key" '$1 == k { e = $2 } END { print e ? e : "(none)" }' "$S/endpoints")"; done <"$S/peers" ;;
      latest-handshakes) [ ! -e "$S/silent" ] && echo 'hub 1700000000' ;;
    esac ;;
  set)
    shift 2
    while [ $# -gt 0 ]; do
      case $1 in
        listen-port) echo "$2" >"$S/port"; shift 2 ;;
        peer) peer=$2; shift 2 ;;
        remove) without peers; without endpoints; shift ;;
        allowed-ips) without peers; printf '%s\\t%s\\n' "$peer" "$2" >>"$S/peers"; shift 2 ;;
        endpoint) without endpoints; printf '%s\\t%s\\n' "$peer" "$2" >>"$S/endpoints"; shift 2 ;;
        persistent-keepalive) shift 2 ;;
        *) exit 1 ;;
      esac
    done ;;
esac
`,
  ss: `cat "$S/ports" 2>/dev/null
`,
  'wg-quick': `case $1 in strip) cat "$2" ;; down) rm -f "$S/link" ;; esac
`,
  systemctl: `case "$1 $2 $3" in
  'is-enabled --quiet '*) [ -e "$S/enabled" ] ;;
  'is-active --quiet systemd-resolved') [ -e "$S/resolved" ] ;;
  'is-active --quiet '*) [ -e "$S/active" ] ;;
  enable*) touch "$S/enabled" ;;
  'stop wg-quick'*) rm -f "$S/active" "$S/link" ;;
  'restart wg-quick'*)
    rm -f "$S/active" "$S/link"
    conf=$ROOT/etc/wireguard/fleet.conf
    awk '$1 == "PrivateKey" { print $3 }' "$conf" | sha256sum | cut -c 1-42 | sed 's/$/A=/' >"$S/public"
    awk '$1 == "ListenPort" { print $3 }' "$conf" >"$S/port"
    awk '$1 == "Address" { print $3 }' "$conf" >"$S/address"
    awk '$1 == "PublicKey" { k = $3 } $1 == "AllowedIPs" { print k "\\t" $3 }' "$conf" >"$S/peers"
    awk '$1 == "PublicKey" { k = $3 } $1 == "Endpoint" { print k "\\t" $3 }' "$conf" >"$S/endpoints"
    touch "$S/link"
    awk '$1 == "DNS" { print "nameserver " $3 }' "$conf" >"$S/line"
    rm -f "$S/dns" "$S/domain" "$S/default-route" "$S/llmnr" "$S/mdns"
    [ ! -s "$S/line" ] || resolvconf -a fleet -m 0 -x <"$S/line"
    sh "$ROOT/etc/wireguard/fleet.hook" up fleet
    touch "$S/active" ;;
  'restart systemd-resolved '*|'start systemd-resolved '*)
    rm -f "$S/resolved"
    [ ! -e "$S/no-resolved" ] || exit 1
    touch "$S/resolved"
    printf 'nameserver 127.0.0.53\n' >"$ROOT/run/systemd/resolve/stub-resolv.conf" ;;
esac
`,
  ip: `[ ! -e "$S/link" ] || echo "3: fleet    inet $(cat "$S/address") scope global fleet"
case "$*" in *' show to '*) cat "$S/in-range" 2>/dev/null ;; esac
true
`,
  resolvectl: `case $1 in
  revert) rm -f "$S/dns" "$S/domain" "$S/default-route" "$S/llmnr" "$S/mdns" ;;
  *) verb=$1; shift 2
    if [ $# -gt 0 ] && [ "$*" = "$(cat "$S/refused" 2>/dev/null)" ]; then exit 1; fi
    if [ $# -gt 0 ]; then echo "$*" >"$S/$verb"; else echo "Link 3 (fleet): $(cat "$S/$verb" 2>/dev/null)"; fi ;;
esac
`,
  resolvconf: `awk '{ print $2 }' >"$S/dns"; echo '~.' >"$S/domain"
`,
  flock: `exec /usr/bin/flock "$@"
`,
  iptables: '',
  sysctl: '',
}
