import type { Secret } from '@fleet/kernel'
import type {
  FileContent,
  ManagedService,
  RenderedService,
  ServicePlaces,
} from '#/managed-services/declaration.ts'
import { EXECUTABLE_FILE } from '#/managed-services/executable/scripts.ts'
import { HARDENED } from '#/managed-services/hardening.ts'
import { sha256 } from '#/managed-services/plan.ts'

/** A process of the fleet's own executable that reports the digest with which it began. */
export interface FleetProcess {
  /** `agent` is run by `fleet-agent.service` as `fleet node-agent`, with a folder of its own below /run. */
  readonly name: string
  readonly description: string
  /** Unix user; root when absent. */
  readonly account?: string
  readonly runtimeMode: '0700' | '0755'
  /** Further lines of `[Service]`, each with its end. */
  readonly settings: string
}

/** Its declaration, with what follows from an executable. */
export interface ProcessService extends ManagedService {
  renderFor(program: string): RenderedService & { readonly digest: string }
}

type Derived = 'name' | 'units' | 'usesExecutable' | 'ready' | 'removal'

const READY_SECONDS = 15

export const unitOf = (name: string): string => `fleet-${name}.service`

/** What the declaration of a process does not have to say. */
export const processPlaces = ({ name }: Pick<FleetProcess, 'name'>): Pick<ServicePlaces, Derived> => ({
  name,
  units: [{ name: unitOf(name), file: 'own', isEnabled: true, onChange: 'restart' }],
  usesExecutable: true,
  ready: { kind: 'reported', unit: unitOf(name), file: `${runtimeOf(name)}/ready`, seconds: READY_SECONDS },
  // A unit with RuntimeDirectoryPreserve leaves it.
  removal: { paths: [runtimeOf(name)] },
})

/** The service of the process, with these files. A secret that is made on the way to the Node is no part of the digest. */
export function processService(
  process: FleetProcess,
  places: ServicePlaces,
  files: Readonly<Record<string, FileContent>>,
): ProcessService {
  const contents = Object.values(files).filter(isKnown)
  const renderFor: ProcessService['renderFor'] = (program) => {
    const digest = sha256([...contents, unitText(process, ''), program].map(sha256).join('\n'))
    return { files, units: { [unitOf(process.name)]: unitText(process, digest) }, digest }
  }
  return { ...places, renderFor, render: ({ program }) => renderFor(program) }
}

const isKnown = (content: FileContent): content is string | Secret =>
  typeof content === 'string' || !('create' in content)

const runtimeOf = (name: string): string => `/run/fleet-${name}`

const unitText = ({ name, description, account, runtimeMode, settings }: FleetProcess, digest: string) =>
  `# Written by Fleet. Changes made here are replaced.
[Unit]
Description=${description}
Wants=network-online.target
After=network-online.target wg-quick@fleet.service
# What it needs may come later: the address of the tunnel, a certificate, a secret.
StartLimitIntervalSec=0

[Service]
Type=exec
${account === undefined ? '' : `User=${account}\n`}ExecStart=${EXECUTABLE_FILE} node-${name} --configuration=${digest}
Restart=always
TimeoutStopSec=10
RuntimeDirectory=fleet-${name}
RuntimeDirectoryMode=${runtimeMode}
UMask=0077
${settings}${HARDENED}
[Install]
WantedBy=multi-user.target
`
