import type { AgentTarget } from '#/agents/ports.ts'
import { type Ids, Secret } from '@fleet/kernel'
import { textFile } from '@fleet/shell'
import {
  type FailureReason,
  type FleetProcess,
  processPlaces,
  processService,
  type ProcessService,
  type ServicePlaces,
  unitOf,
} from '#/managed-services/api.ts'

export const AGENT_UNIT = unitOf('agent')
const HOME = '/etc/fleet/agent'
export const SECRET_FILE = `${HOME}/secret`
const SECRET_BYTES = 32

export interface AgentFacts {
  readonly target: AgentTarget
  /** Home of the managed user, below which checkouts and their logs are. */
  readonly userHome: string
  /** SHA-256 of the secret that the Node is known to have. */
  readonly secretHash: string | undefined
  readonly ids: Pick<Ids, 'hex'>
}

/** The agent of one Node: AGT-011, AGT-012, AGT-018, AGT-020. */
export const agentService = ({ target, userHome, secretHash, ids }: AgentFacts): ProcessService => {
  const hooks = { prepare: { source: ADMIT, argument: userHome } }
  return processService(
    AGENT,
    { ...AGENT_PLACES, hooks },
    {
      [SECRET_FILE]: { knownSha256: secretHash, create: () => new Secret(ids.hex(SECRET_BYTES)) },
      [CONFIG_FILE]: `gateway_url = ${JSON.stringify(target.url)}\ngateway_address = ${JSON.stringify(target.address)}\n`,
      [CERTIFICATE_FILE]: target.rootCertificate,
    },
  )
}

const AGENT: FleetProcess = {
  name: 'agent',
  description: 'Fleet agent',
  runtimeMode: '0700',
  settings: `RestartSec=2
RuntimeDirectoryPreserve=yes
ProtectHome=read-only
MemoryMax=256M
# A reading that takes too much ends; the agent continues.
OOMPolicy=continue
TasksMax=64
`,
}

const ADMIT = textFile('admit.sh', import.meta.url)
const CONFIG_FILE = `${HOME}/config.toml`
const CERTIFICATE_FILE = `${HOME}/ca.pem`

const OUTCOMES: Readonly<Partial<Record<FailureReason, string>>> = {
  write_failed: 'files',
  switch_failed: 'files',
  folder_unsafe: 'files',
  start_failed: 'restart',
  stop_failed: 'unit',
}

const PLACES = processPlaces(AGENT)

export const AGENT_PLACES: ServicePlaces = {
  ...PLACES,
  folders: [
    { path: '/etc/fleet', mode: '755', keeping: 'shared' },
    { path: HOME, mode: '700', keeping: 'own' },
  ],
  files: [SECRET_FILE, CONFIG_FILE, CERTIFICATE_FILE].map((path) => ({ path, mode: '600' })),
  removal: { paths: [], ...PLACES.removal, takesExecutable: true },
  failure: (reason) => ({
    code: 'node.agent_install_failed',
    details: { outcome: OUTCOMES[reason] ?? reason },
  }),
}
