import { type ErrorCode, fail } from '@fleet/contract'
import type { CodedError, Details } from '@fleet/kernel'

export interface LockRule {
  /** `<id>` is the id of the record. */
  readonly name: string
  readonly guards: string
  /** How long a request waits, at most the rest of its time; 0 refuses at once. */
  readonly waitSeconds: number
  /** A holder that is gone loses the lock after it. Renewed while the lock is held. */
  readonly termSeconds: number
  /** Absent where each family answers with its own. */
  readonly busy?: ErrorCode
  /** `node.lock_lost` when absent (GW-045). */
  readonly lost?: ErrorCode
}

/**
 * Every lock of the fleet, outermost first: whoever holds one takes only later ones, so no two requests can wait for each
 * other. Of the same kind, the one with the lower id comes first.
 */
export const LOCKS = {
  nodeName: {
    name: 'node-name:<id>',
    guards: 'Enrollment, retarget, settings, renaming and removal of the Node of a name (GW-038).',
    waitSeconds: 0,
    termSeconds: 3600,
    busy: 'node.provisioning_busy',
  },
  cluster: {
    name: 'cluster:<id>:router',
    guards: 'Members, Router and settings of a Cluster (RTE-186, RTX-074).',
    waitSeconds: 30,
    termSeconds: 600,
    busy: 'cluster.router_busy',
  },
  instanceLifecycle: {
    name: 'instance:<id>:lifecycle',
    guards: 'Creation, setup and removal of an Instance, by Project and name (GW-043).',
    waitSeconds: 0,
    termSeconds: 60,
    busy: 'instance.lifecycle_busy',
  },
  project: {
    name: 'project:<id>',
    guards: 'Removing a Project, changing its source, and reserving an Instance of it, which waits 5 s.',
    waitSeconds: 0,
    termSeconds: 600,
    busy: 'project.lifecycle_busy',
  },
  instance: {
    name: 'instance:<id>:operation',
    guards:
      'Environment, dependencies, deployments, Route changes and removal of an Instance (GW-042, ENV-061, DEP-056).',
    waitSeconds: 30,
    termSeconds: 60,
  },
  nodeSource: {
    name: 'node:<id>:source',
    guards:
      'Scans and updates of dependencies in the development checkouts of a Node, which may be nested and share the stores of package managers (DEX-035).',
    waitSeconds: 30,
    termSeconds: 60,
    busy: 'dependencies.operation_busy',
  },
  databaseServer: {
    name: 'database-server:<id>',
    guards: 'Creation and removal of a database server, and the names on it; by its slug.',
    waitSeconds: 120,
    termSeconds: 300,
    busy: 'database.server_busy',
  },
  database: {
    name: 'database:<id>',
    guards: 'Creation, users and removal of a database on a server of the fleet, by its slug.',
    waitSeconds: 30,
    termSeconds: 120,
    busy: 'database.operation_busy',
  },
  route: {
    name: 'route:<id>',
    guards: 'Activation and removal of a Route.',
    waitSeconds: 30,
    termSeconds: 60,
    busy: 'route.busy',
  },
  nodeRoles: {
    name: 'node:<id>:roles',
    guards: 'Roles of a Node, and the certificates of their services (GW-039, GW-044).',
    waitSeconds: 120,
    termSeconds: 600,
    busy: 'node_role.node_busy',
  },
  firewall: {
    name: 'firewall:<id>',
    guards: "Operators' firewall rules of a Node.",
    waitSeconds: 30,
    termSeconds: 600,
    busy: 'firewall.operation_busy',
  },
  tool: {
    name: 'tool:<id>',
    guards: 'A Tool, by Node, manager and package (TLX-050).',
    waitSeconds: 0,
    termSeconds: 600,
    busy: 'tool.operation_locked',
  },
  php: {
    name: 'node:<id>:php',
    guards: 'The PHP pools of a Node; they are read once it is held (RTX-122).',
    waitSeconds: 30,
    termSeconds: 600,
    busy: 'app-dev.php_runtime_failed',
  },
  apt: {
    name: 'node:<id>:tool-manager:apt',
    guards: 'The package manager of a Node (GW-041, GW-044).',
    waitSeconds: 0,
    termSeconds: 600,
  },
  vp: {
    name: 'node:<id>:tool-manager:vp',
    guards: 'Vite+ of a Node.',
    waitSeconds: 0,
    termSeconds: 600,
    busy: 'tool.operation_locked',
  },
  composer: {
    name: 'node:<id>:tool-manager:composer',
    guards: 'The global Composer of a Node.',
    waitSeconds: 0,
    termSeconds: 600,
    busy: 'tool.operation_locked',
  },
  brew: {
    name: 'node:<id>:tool-manager:brew',
    guards: 'Homebrew of a Node, its casks included.',
    waitSeconds: 0,
    termSeconds: 600,
    busy: 'tool.operation_locked',
  },
  webServer: {
    name: 'node:<id>:web-server',
    guards: 'The web server of a Node; its sites are read once it is held (RTX-073).',
    waitSeconds: 30,
    termSeconds: 300,
  },
  process: {
    name: 'process:<id>',
    guards: 'Creation, start, stop and removal of a Process, and its unit on the Node (PROC-041).',
    waitSeconds: 30,
    termSeconds: 120,
    busy: 'process.runtime_lock_failed',
  },
  schedule: {
    name: 'schedule:<id>',
    guards: 'Creation, activation, runs and removal of a Schedule, and its files on the Node.',
    waitSeconds: 30,
    termSeconds: 120,
    busy: 'schedule.operation_busy',
  },
  agent: {
    name: 'node-agent:<id>',
    guards: 'The agent of a Node (GW-040).',
    waitSeconds: 120,
    termSeconds: 420,
    busy: 'agent.converge_busy',
    lost: 'agent.converge_lock_lost',
  },
  network: {
    name: 'network-publication',
    guards: 'The list of peers on the hub.',
    waitSeconds: 30,
    termSeconds: 120,
    busy: 'vpn.publication_busy',
  },
  names: {
    name: 'dnsmasq-projections',
    guards: 'Every publication of private configuration; taken before the records are read (RTX-072).',
    waitSeconds: 30,
    termSeconds: 120,
    busy: 'app-dev.projection_busy',
  },
} as const satisfies Readonly<Record<string, LockRule>>

export type LockKind = keyof typeof LOCKS

/** One lock that a request wants. */
export interface NamedLock {
  readonly kind: LockKind
  readonly id: number | string
  /** As it is stored. */
  readonly name: string
  readonly waitSeconds: number
  readonly busy: ErrorCode
  /** Further details of the busy answer. */
  readonly details?: Details | undefined
}

type Given = Pick<NamedLock, 'details'> & Partial<Pick<NamedLock, 'waitSeconds'>>
/** Locks whose busy code is in the table. */
export type BusyLockKind = Exclude<LockKind, WithoutBusy>
type WithoutBusy = {
  readonly [K in LockKind]: (typeof LOCKS)[K] extends { busy: ErrorCode } ? never : K
}[LockKind]

/** The lock of a record as the table says; `busy` is required where the table has none. */
export function lockOf(
  kind: BusyLockKind,
  id: number | string,
  given?: Given & { readonly busy?: ErrorCode },
): NamedLock
export function lockOf(
  kind: WithoutBusy,
  id: number | string,
  given: Given & { readonly busy: ErrorCode },
): NamedLock
export function lockOf(
  kind: LockKind,
  id: number | string,
  { busy, waitSeconds, details }: Given & { readonly busy?: ErrorCode } = {},
): NamedLock {
  const rule: LockRule = LOCKS[kind]
  const code = busy ?? rule.busy
  if (code === undefined) throw new Error(`lock ${rule.name} needs a busy code`)
  const name = rule.name.replace('<id>', `${id}`)
  return { kind, id, name, waitSeconds: waitSeconds ?? rule.waitSeconds, busy: code, details }
}

/** What work under a lost lock ends with (GW-045). */
export const lostError = ({ kind }: NamedLock, details: Details = {}): CodedError => {
  const { lost = 'node.lock_lost' }: LockRule = LOCKS[kind]
  return fail(lost, { details })
}

/** The lock of what the fleet has once. */
export const fleetLock = (kind: 'network' | 'names'): NamedLock => lockOf(kind, 0)
