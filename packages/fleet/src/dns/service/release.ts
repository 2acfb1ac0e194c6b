import { type RenderedRelease, sha256 } from '#/managed-services/api.ts'

export const DNS_DIRECTORY = '/var/lib/fleet/private-dns'
export const DNS_UNITS = [
  'fleet-dnsmasq.service',
  'fleet-private-dns.socket',
  'fleet-private-dns.service',
] as const
const BACKEND = '127.0.0.55'

export interface ReleaseFacts {
  /** Tunnel address of the `vpn` Node. */
  readonly address: string
  readonly upstreams: readonly string[]
  /** SHA-256 of the executable that serves. */
  readonly program: string
}

/** Everything that is installed at once, and can be gone back to; its id follows from all of it. */
export interface Release extends RenderedRelease {
  readonly files: Readonly<Record<'dnsmasq.conf' | (typeof DNS_UNITS)[number], string>>
}

/** The files of one release (RTX-102, RTX-103). */
export function releaseOf(facts: ReleaseFacts): Release {
  const templates = filesOf(facts, 'RELEASE')
  const id = sha256(JSON.stringify([facts.program, templates])).slice(0, 16)
  const program = { name: 'fleet', sha256: facts.program }
  return { id, files: filesOf(facts, `${DNS_DIRECTORY}/releases/${id}`), program }
}

/** What the gateway's own code decides of a release: the resolvers of the machine are no part of it (NODE-121). */
export const codeDigest = (facts: Omit<ReleaseFacts, 'upstreams'>): string =>
  sha256(JSON.stringify([facts.program, filesOf({ ...facts, upstreams: [] }, 'RELEASE')]))

const filesOf = (facts: ReleaseFacts, directory: string): Release['files'] => ({
  'dnsmasq.conf': dnsmasqConf(facts.upstreams),
  'fleet-dnsmasq.service': dnsmasqUnit(directory),
  'fleet-private-dns.socket': socketUnit(facts.address),
  'fleet-private-dns.service': listenerUnit(directory),
})

const WRITTEN = '# Written by Fleet. Changes made here are replaced.\n'

const dnsmasqConf = (upstreams: readonly string[]): string => `${WRITTEN}
listen-address=${BACKEND}
bind-interfaces
no-resolv
no-hosts
cache-size=10000
dns-forward-max=1000
edns-packet-max=1232
${upstreams.map((server) => `server=${server}\n`).join('')}`

// The gateway's home is closed to everybody else; the two services see of it only what is theirs.
const SANDBOX = `NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectControlGroups=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
RestrictNamespaces=yes
RestrictSUIDSGID=yes
TemporaryFileSystem=/var/lib/fleet:mode=0755`

const dnsmasqUnit = (directory: string): string => `${WRITTEN}[Unit]
Description=Resolver behind the private DNS of the fleet
After=network.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=/usr/sbin/dnsmasq --keep-in-foreground --pid-file --conf-file=${directory}/dnsmasq.conf
Restart=always
RestartSec=200ms
DynamicUser=yes
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
${SANDBOX}
BindReadOnlyPaths=${directory}

[Install]
WantedBy=multi-user.target
`

const socketUnit = (address: string): string => `${WRITTEN}[Unit]
Description=Private DNS of the fleet

[Socket]
# UDP first: the listener takes them in this order.
ListenDatagram=${address}:53
ListenStream=${address}:53
# The address may come later than the socket.
FreeBind=yes
ReceiveBuffer=1M
Backlog=256

[Install]
WantedBy=sockets.target
`

const listenerUnit = (directory: string): string => `${WRITTEN}[Unit]
Description=Private DNS of the fleet
After=wg-quick@fleet.service fleet-dnsmasq.service
StartLimitIntervalSec=0

[Service]
Type=exec
Sockets=fleet-private-dns.socket
ExecStart=${directory}/fleet node-dns serve --catalog ${DNS_DIRECTORY}/catalog.json --upstream ${BACKEND}:53
Environment=HOME=/nonexistent
Restart=always
RestartSec=200ms
TimeoutStopSec=6
CapabilityBoundingSet=
RestrictAddressFamilies=AF_INET AF_UNIX
${SANDBOX}
BindPaths=${DNS_DIRECTORY}
MemoryMax=512M
OOMScoreAdjust=-500

[Install]
WantedBy=multi-user.target
`
