import type { AgentTarget } from '#/agents/ports.ts'
import { type Ids, Secret } from '@fleet/kernel'
import { textFile } from '@fleet/shell'
import { renderAgent } from '#/agents/service/files.ts'
import type { FailureReason, ManagedService } from '#/managed-services/api.ts'

export const AGENT_UNIT = 'fleet-agent.service'
const HOME = '/etc/fleet/agent'
/** Made by its unit; gone after a boot. */
const RUNTIME = '/run/fleet-agent'
export const SECRET_FILE = `${HOME}/secret`
const SECRET_BYTES = 32
const READY_SECONDS = 15

export interface AgentFacts {
  readonly target: AgentTarget
  /** Home of the managed user, below which checkouts and their logs are. */
  readonly userHome: string
  /** SHA-256 of the secret that the Node is known to have. */
  readonly secretHash: string | undefined
  readonly ids: Pick<Ids, 'hex'>
}

/** The agent of one Node: AGT-011, AGT-012, AGT-018, AGT-020. */
export const agentService = ({ target, userHome, secretHash, ids }: AgentFacts): ManagedService => ({
  ...AGENT_PLACES,
  hooks: { prepare: { source: ADMIT, argument: userHome } },
  render: ({ program }) => {
    const { config, certificate, unit, digest } = renderAgent(target, program)
    const secret = { knownSha256: secretHash, create: () => new Secret(ids.hex(SECRET_BYTES)) }
    return {
      files: { [SECRET_FILE]: secret, [CONFIG_FILE]: config, [CERTIFICATE_FILE]: certificate },
      units: { [AGENT_UNIT]: unit },
      digest,
    }
  },
})

const ADMIT = textFile('admit.sh', import.meta.url)
const CONFIG_FILE = `${HOME}/config.toml`
const CERTIFICATE_FILE = `${HOME}/ca.pem`

const OUTCOMES: Readonly<Partial<Record<FailureReason, string>>> = {
  write_failed: 'files',
  switch_failed: 'files',
  start_failed: 'restart',
  stop_failed: 'unit',
}

/** Everything but its contents: enough to inspect it and to take it away. */
export const AGENT_PLACES: ManagedService = {
  name: 'agent',
  folders: [
    { path: '/etc/fleet', mode: '755', keeping: 'shared' },
    { path: HOME, mode: '700', keeping: 'own' },
  ],
  files: [SECRET_FILE, CONFIG_FILE, CERTIFICATE_FILE].map((path) => ({ path, mode: '600' })),
  units: [{ name: AGENT_UNIT, file: 'own', isEnabled: true, onChange: 'restart' }],
  usesExecutable: true,
  ready: { kind: 'reported', unit: AGENT_UNIT, file: `${RUNTIME}/ready`, seconds: READY_SECONDS },
  removal: { paths: [RUNTIME], takesExecutable: true },
  render: () => {
    throw new Error('an agent without a target has no files')
  },
  failure: (reason) => ({
    code: 'node.agent_install_failed',
    details: { outcome: OUTCOMES[reason] ?? reason },
  }),
}
