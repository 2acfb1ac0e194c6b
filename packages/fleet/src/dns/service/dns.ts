import { fail } from '@fleet/contract'
import { type Answer, textFile } from '@fleet/shell'
import { DNS_DIRECTORY, DNS_UNITS, releaseOf } from '#/dns/service/release.ts'
import { type ResolverFiles, upstreamsOf } from '#/dns/upstreams.ts'
import {
  failureCodes,
  type ManagedService,
  type ServicePlaces,
  type ServiceUnit,
} from '#/managed-services/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'

export const CATALOG = `${DNS_DIRECTORY}/catalog.json`
/** Held while anything of private DNS changes on the Node. */
export const DNS_LOCK = { path: `${DNS_DIRECTORY}/.lock`, seconds: 20 }
const READY_SECONDS = 20

const unit = (name: ServiceUnit['name'], onChange: ServiceUnit['onChange']): ServiceUnit => ({
  name,
  file: 'own',
  isEnabled: true,
  onChange,
})

/** Files of the machine from which its upstreams follow, as a function of the shell. */
export const RESOLVER_FILES = textFile('resolver-files.sh', import.meta.url)

export const DNS_PLACES: ServicePlaces = {
  name: 'private-dns',
  folders: [
    // May be the home of the gateway, whose mode is its own.
    { path: '/var/lib/fleet', mode: '755', keeping: 'shared' },
    { path: DNS_DIRECTORY, mode: '755', keeping: 'own' },
    { path: `${DNS_DIRECTORY}/releases`, mode: '755', keeping: 'own' },
  ],
  units: [
    unit('fleet-dnsmasq.service', 'restart'),
    // Questions wait in a socket that stays; another address needs another socket.
    unit('fleet-private-dns.socket', 'own-file'),
    unit('fleet-private-dns.service', 'restart'),
  ],
  release: { folder: `${DNS_DIRECTORY}/releases`, keep: 1 },
  usesExecutable: true,
  lock: DNS_LOCK,
  hooks: {
    facts: { source: `${RESOLVER_FILES}\n${textFile('facts.sh', import.meta.url)}` },
    check: { source: textFile('check.sh', import.meta.url) },
    prepare: { source: textFile('prepare.sh', import.meta.url), argument: CATALOG },
    probe: { source: textFile('probe.sh', import.meta.url), argument: CATALOG },
  },
  ready: { kind: 'active', seconds: READY_SECONDS },
  failure: failureCodes(
    {
      busy: 'dns.busy',
      write_failed: 'dns.write_failed',
      switch_failed: 'dns.write_failed',
      folder_unsafe: 'dns.write_failed',
      check_failed: 'dns.self_test_failed',
      start_failed: 'dns.start_failed',
      not_ready: 'dns.start_failed',
      stop_failed: 'dns.write_failed',
    },
    'dns.publication_failed',
  ),
}

export interface DnsFacts {
  readonly node: NodeRecord
  /** Tunnel address on which it answers. */
  readonly address: string
  readonly isTunnel: (address: string) => boolean
}

/** Listener and backend on the `vpn` Node (RTX-102, RTX-103). Rendering throws `dns.package_missing`. */
export const dnsService = ({ node, address, isTunnel }: DnsFacts): ManagedService => ({
  ...DNS_PLACES,
  render: ({ program, facts }) => {
    if (!facts.flag('dnsmasq')) throw fail('dns.package_missing', { details: { node: identityOf(node) } })
    const upstreams = upstreamsOf(resolverFilesOf(facts), isTunnel)
    const release = releaseOf({ address, program, upstreams })
    return {
      files: {},
      units: Object.fromEntries(DNS_UNITS.map((name) => [name, release.files[name]])),
      release,
    }
  },
})

/** What that function printed. */
export const resolverFilesOf = (facts: Answer): ResolverFiles => ({
  resolved: facts.get('resolved')?.toString('utf8'),
  plain: facts.get('plain')?.toString('utf8'),
  leases: facts.text('leases'),
})
