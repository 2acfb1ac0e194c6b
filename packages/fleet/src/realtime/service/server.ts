import { Secret } from '@fleet/kernel'
import type { ErrorCode } from '@fleet/contract'
import { CERTIFICATES, leafFile } from '#/certificates/api.ts'
import {
  EXECUTABLE_FILE,
  type FailureReason,
  HARDENED,
  type ManagedService,
  type RenderedService,
  sha256,
} from '#/managed-services/api.ts'
import type { RealtimeServer } from '#/realtime/server.ts'

export const SERVER_UNIT = 'fleet-websocket.service'
/** Names the directory of its certificate. */
export const SERVER_SCOPE = 'websocket'
const SERVER_CERTIFICATE = leafFile(SERVER_SCOPE)
const HOME = '/etc/fleet/websocket'
const CONFIGURATION = `${HOME}/config.json`
/** Made by its unit; gone after a boot. */
const RUNTIME = '/run/fleet-websocket'
const READY_SECONDS = 15

interface Served extends Pick<RealtimeServer, 'address' | 'port' | 'app'> {
  readonly origins: readonly string[]
}

/** The WebSocket server of the fleet, run as `account`. */
export const websocketService = (account: string, server?: Served): ManagedService => ({
  name: 'websocket',
  account,
  folders: [
    // What other roles need of these is theirs to say.
    { path: '/etc/fleet', mode: '711', keeping: 'shared' },
    { path: CERTIFICATES, mode: '711', keeping: 'shared' },
    { path: HOME, mode: '750', group: account, keeping: 'own' },
  ],
  files: [{ path: CONFIGURATION, mode: '640', group: account }],
  ...(server ? { secrets: [server.app.secret] } : {}),
  units: [{ name: SERVER_UNIT, file: 'own', isEnabled: true, onChange: 'restart' }],
  usesExecutable: true,
  ready: { kind: 'reported', unit: SERVER_UNIT, file: `${RUNTIME}/ready`, seconds: READY_SECONDS },
  removal: { paths: [RUNTIME] },
  render: ({ program }) => {
    if (!server) throw new Error('a server without an address has no files')
    return renderServer(account, server, program)
  },
  failure: (reason) => ({ code: CODES[reason] ?? 'realtime.write_failed' }),
})

const CODES: Readonly<Partial<Record<FailureReason, ErrorCode>>> = {
  account_failed: 'realtime.account_failed',
  start_failed: 'realtime.start_failed',
  not_ready: 'realtime.start_failed',
  stop_failed: 'realtime.stop_failed',
}

/** Everything of one server but its certificate. The unit names a digest of all of it: a running one says with which it began. */
export function renderServer(account: string, server: Served, program: string) {
  const { id, key, secret } = server.app
  const { address, port, origins } = server
  const app = { id, key, secret: secret.reveal() }
  const settings = { address, port, certificate: SERVER_CERTIFICATE, origins, app }
  const configuration = `${JSON.stringify(settings, undefined, 1)}\n`
  const digest = sha256([configuration, unit(account, ''), program].map(sha256).join('\n'))
  return {
    files: { [CONFIGURATION]: new Secret(configuration) },
    units: { [SERVER_UNIT]: unit(account, digest) },
    digest,
  } satisfies RenderedService
}

const unit = (account: string, digest: string): string => `# Written by Fleet. Changes made here are replaced.
[Unit]
Description=WebSocket server of the fleet
Wants=network-online.target
After=network-online.target wg-quick@fleet.service
# The address of the tunnel or the certificate may come later.
StartLimitIntervalSec=0

[Service]
Type=exec
User=${account}
ExecStart=${EXECUTABLE_FILE} node-websocket --configuration=${digest}
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
${HARDENED}ProtectHome=yes
MemoryMax=2G
TasksMax=64

[Install]
WantedBy=multi-user.target
`
