import { createHash } from 'node:crypto'
import { Secret } from '@fleet/kernel'
import { executableFile } from '#/nodes/api.ts'
import type { RealtimeServer } from '#/realtime/server.ts'
import { SERVER_CERTIFICATE, type ServerPlaces } from '#/realtime/service/place.ts'

export interface ServerFiles {
  /** JSON with the credentials of the application. */
  readonly configuration: Secret
  readonly unit: string
}

export const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex')

/** Everything of one server but its certificate. The unit names a digest of all of it: a running one says with which it began. */
export function serverFiles(
  server: Pick<RealtimeServer, 'address' | 'port' | 'app'>,
  executableSha256: string,
  places: ServerPlaces,
): ServerFiles {
  const { id, key, secret } = server.app
  const configuration = `${JSON.stringify(
    {
      address: server.address,
      port: server.port,
      certificate: SERVER_CERTIFICATE,
      app: { id, key, secret: secret.reveal() },
    },
    undefined,
    1,
  )}\n`
  const unitFor = (digest: string): string => unit(places, digest)
  const digest = sha256([configuration, unitFor(''), executableSha256].map(sha256).join('\n'))
  return { configuration: new Secret(configuration), unit: unitFor(digest) }
}

// The kernel calls that JavaScript engines need to make code at run time rule out MemoryDenyWriteExecute.
const unit = (
  { executable, server }: ServerPlaces,
  digest: string,
): string => `# Written by Fleet. Changes made here are replaced.
[Unit]
Description=WebSocket server of the fleet
Wants=network-online.target
After=network-online.target wg-quick@fleet.service
# The address of the tunnel or the certificate may come later.
StartLimitIntervalSec=0

[Service]
Type=exec
User=${server.account}
ExecStart=${executableFile(executable)} node-websocket --configuration=${digest}
ExecReload=/bin/kill -HUP $MAINPID
Environment=HOME=/nonexistent
Restart=always
RestartSec=1
# Clients are sent away over two seconds.
TimeoutStopSec=10
LimitNOFILE=65536
RuntimeDirectory=fleet-websocket
RuntimeDirectoryMode=0755
UMask=0077
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
MemoryMax=2G
TasksMax=64

[Install]
WantedBy=multi-user.target
`
