import { Secret } from '@fleet/kernel'
import { CERTIFICATES, leafFile } from '#/certificates/api.ts'
import {
  failureCodes,
  type FleetProcess,
  processPlaces,
  processService,
  type ProcessService,
  type ServicePlaces,
  unitOf,
} from '#/managed-services/api.ts'
import type { RealtimeServer } from '#/realtime/server.ts'

export const SERVER_UNIT = unitOf('websocket')
/** Names the directory of its certificate. */
export const SERVER_SCOPE = 'websocket'
const HOME = '/etc/fleet/websocket'
const CONFIGURATION = `${HOME}/config.json`

interface Served extends Pick<RealtimeServer, 'address' | 'port' | 'app'> {
  readonly origins: readonly string[]
}

/** Where its parts are, run as `account`. */
export const websocketPlaces = (account: string): ServicePlaces => ({
  ...processPlaces(SERVER),
  account,
  folders: [
    // What other roles need of these is theirs to say.
    { path: '/etc/fleet', mode: '711', keeping: 'shared' },
    { path: CERTIFICATES, mode: '711', keeping: 'shared' },
    { path: HOME, mode: '750', group: account, keeping: 'own' },
  ],
  files: [{ path: CONFIGURATION, mode: '640', group: account }],
  failure: failureCodes(
    {
      account_failed: 'realtime.account_failed',
      start_failed: 'realtime.start_failed',
      not_ready: 'realtime.start_failed',
      stop_failed: 'realtime.stop_failed',
    },
    'realtime.write_failed',
  ),
})

const SERVER: FleetProcess = {
  name: 'websocket',
  description: 'WebSocket server of the fleet',
  runtimeMode: '0755',
  // It sends its clients away over two seconds.
  settings: `ExecReload=/bin/kill -HUP $MAINPID
Environment=HOME=/nonexistent
RestartSec=1
LimitNOFILE=65536
ProtectHome=yes
MemoryMax=2G
TasksMax=64
`,
}

/** The WebSocket server of the fleet: everything of it but its certificate. */
export function websocketService(account: string, { address, port, app, origins }: Served): ProcessService {
  const { id, key, secret } = app
  const certificate = leafFile(SERVER_SCOPE)
  const settings = { address, port, certificate, origins, app: { id, key, secret: secret.reveal() } }
  const places = { ...websocketPlaces(account), secrets: [secret] }
  const configuration = new Secret(`${JSON.stringify(settings, undefined, 1)}\n`)
  return processService({ ...SERVER, account }, places, { [CONFIGURATION]: configuration })
}
