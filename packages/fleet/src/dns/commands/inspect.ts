import { type Command, script, textField } from '@fleet/shell'
import { PRIVATE_DNS } from '#/dns/commands/library.ts'
import { DNS_UNITS, type DnsPlace, type Release } from '#/dns/release.ts'
import type { ResolverFiles } from '#/dns/upstreams.ts'
import { EXECUTABLE_STATE, type ExecutablePlace } from '#/nodes/api.ts'

/** What stands on the machine, and the files that its resolvers follow from; nothing is changed. */
export const inspectDns = ({ root }: DnsPlace, { directory, link }: ExecutablePlace): Command =>
  script(SOURCE, root, directory, link)

export interface DnsState {
  readonly hasDnsmasq: boolean
  readonly isRunning: boolean
  /** Release that the listener's unit names, when its directory is as its manifest says. */
  readonly release: string | undefined
  /** SHA-256 in hex of each unit that is root's own 0644. */
  readonly units: ReadonlyMap<string, string>
  readonly resolver: ResolverFiles
}

/** Throws MalformedOutput. */
export function readDnsState(answer: ReadonlyMap<string, Buffer>): DnsState {
  const release = textField(answer, 'release')
  return {
    hasDnsmasq: textField(answer, 'dnsmasq') === 'yes',
    isRunning: textField(answer, 'running') === 'yes',
    release: /^[0-9a-f]{16}$/.test(release) ? release : undefined,
    units: new Map(DNS_UNITS.map((unit) => [unit, textField(answer, unit)])),
    resolver: {
      resolved: answer.get('resolved')?.toString('utf8'),
      plain: answer.get('plain')?.toString('utf8'),
      leases: textField(answer, 'leases'),
    },
  }
}

/** True when nothing of the release is missing or different, and it runs. */
export const stands = (state: DnsState, release: Release, digestOf: (text: string) => string): boolean =>
  state.isRunning &&
  state.release === release.id &&
  DNS_UNITS.every((unit) => state.units.get(unit) === digestOf(release.files[unit]))

const SOURCE = `# look at the private DNS
${PRIVATE_DNS}
place=$directory
directory=$1 link=$2
${EXECUTABLE_STATE}
executable_state
directory=$place
if command -v dnsmasq >/dev/null; then field dnsmasq yes; else field dnsmasq no; fi
if runs; then field running yes; else field running no; fi
release=$(sed -n 's,^ExecStart=.*/releases/\\([0-9a-f]*\\)/fleet .*,\\1,p' "$units/fleet-private-dns.service")
[ -n "$release" ] && whole "$directory/releases/$release" || release=
field release "$release"
for unit in $names; do field "$unit" "$(sound 644 "$units/$unit")"; done
[ ! -f "$root/run/systemd/resolve/resolv.conf" ] || field_file resolved "$root/run/systemd/resolve/resolv.conf"
[ ! -f "$root/etc/resolv.conf" ] || field_file plain "$root/etc/resolv.conf"
field leases "$(cat "$root"/var/lib/dhcp/dhclient*.leases "$root"/run/systemd/netif/leases/* | tail -c 16384)"
`
