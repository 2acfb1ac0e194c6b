import type { Compared } from '#/repeats.ts'
import {
  fail,
  type InputOf,
  type InstanceStatus,
  normalizeDomain,
  type ProjectType,
  projectTypeRules,
  type RouteData,
} from '@fleet/contract'
import type { CopyRecord, Row } from '@fleet/store'
import { posix } from 'node:path'

/** Name of the default development source of a Project (INS-002). */
export const DEFAULT_NAME = 'default'

/**
 * Development ports of one Node (INS-013): clear of the ports that databases and web servers are known by,
 * and below the range from which Linux and macOS take ephemeral ports.
 */
export const VITE_PORTS = { first: 15_173, last: 19_172 } as const

/** The smallest port of the range that is not in use; undefined when all are. */
export function freePort(used: Iterable<number>): number | undefined {
  const taken = new Set(used)
  for (let port = VITE_PORTS.first; port <= VITE_PORTS.last; port += 1) if (!taken.has(port)) return port
  return undefined
}

/** The web root of an Instance, relative to the repository: its own, or that of its Project. */
export const effectiveRoot = ({ root, project }: Rooted & { readonly project: Rooted }): string =>
  root ?? project.root ?? '.'

interface Rooted {
  readonly root: string | null
}

/** Repository-relative application directory: the web root minus a trailing `/public`, empty for the repository root (PRJ-020). */
export const applicationDirectory = (root: string): string =>
  root === '.' || root === 'public' ? '' : root.replace(/\/public$/, '')

/** The branch that a creation asks for (INS-046 to INS-048). */
export const wantedBranch = (
  wanted: { readonly name: string; readonly branch?: string | null | undefined },
  defaultBranch: string,
): string => wanted.branch ?? (wanted.name === DEFAULT_NAME ? defaultBranch : wanted.name)

/** The stored values that make a creation the same request as before (INS-051). */
export interface PlacedValues {
  readonly node_id: number
  readonly root: string | null
  readonly branch_override: string | null
  readonly database_server: string | null
  readonly copy: CopyRecord | null
}

export const comparedPlacement = (stored: PlacedValues, input: InputOf<'instance:create'>): Compared => ({
  node_id: stored.node_id === input.node_id,
  root: stored.root === (input.root ?? null),
  branch: stored.branch_override === (input.branch ?? null),
  database_server: stored.database_server === (input.database_server ?? null),
  source_instance_id: stored.copy?.source.id === input.source_instance_id,
})

/**
 * Whether the Route that the Instance has now is the one that this request asks for. An explicit Route of a type that needs
 * none may have been created later.
 */
export const isSameDomain = (
  route: Pick<RouteData, 'domain' | 'provenance'> | undefined,
  { type, domain }: { readonly type: ProjectType; readonly domain: string | undefined },
): boolean =>
  domain === undefined
    ? route?.provenance !== 'explicit' || !projectTypeRules[type].needsRoute
    : route?.provenance === 'explicit' && route.domain === normalizeDomain(domain)

interface StateRules {
  /** The identical creation resumes here (INS-050). */
  readonly resumesCreation: boolean
  /** The identical creation answers the record and runs nothing (INS-050). */
  readonly isCreated: boolean
  /** Setup runs (PRJ-074), and teardown before a removal is accepted (INS-117). */
  readonly runsSteps: boolean
  /** A removal is in progress: only it may continue (INS-021). Every other state accepts one (INS-116). */
  readonly isLeaving: boolean
}

const unfinished = { resumesCreation: true, isCreated: false, runsSteps: false, isLeaving: false } as const

/** What each state allows. */
export const stateRules = {
  reserved: unfinished,
  checkout_prepared: unfinished,
  source_resolved: unfinished,
  active: { resumesCreation: false, isCreated: true, runsSteps: true, isLeaving: false },
  removing: { resumesCreation: false, isCreated: false, runsSteps: false, isLeaving: true },
} as const satisfies Record<InstanceStatus, StateRules>

/**
 * A registration that never was active: the directory is somebody's own and goes back to where it was. The acceptance of its removal
 * forgets the profile, by which it is still known then.
 */
export const isUnfinishedRegistration = ({
  creation,
  status,
  profile,
}: Pick<Row<'instances'>, 'creation' | 'status' | 'profile'>): boolean =>
  creation === 'register' && (profile === null || rulesOf({ status }).resumesCreation)

/**
 * The creation died in its setup list, and the identical request resumes it (decision 0114). A list that failed, or that a
 * later request ran, is no part of it: only `instance:setup` runs that again.
 */
export const isSetupInterrupted = ({
  status,
  setup,
  error_code,
}: Pick<Row<'instances'>, 'status' | 'setup' | 'error_code'>): boolean =>
  status === 'active' && setup === 'pending' && error_code === null

export const rulesOf = ({ status }: { readonly status: InstanceStatus }): StateRules => stateRules[status]

/**
 * The absolute directory and every directory above it but the root; undefined for a path that is relative or climbs: where
 * `..` leads to is known to the Node alone.
 */
export function directoryChain(directory: string): readonly string[] | undefined {
  if (!directory.startsWith('/') || directory.includes('\0')) return undefined
  if (directory.split('/').includes('..')) return undefined
  const normal = posix.normalize(directory).replace(/(?<=.)\/$/, '')
  const chain: string[] = []
  for (let path = normal; path !== '/'; path = posix.dirname(path)) chain.push(path)
  return chain
}

/** What an operation says to an Instance on its way out. */
export function beingRemoved({
  id,
  name,
  status,
  removal_force: force,
}: Pick<Row<'instances'>, 'id' | 'name' | 'status' | 'removal_force'>): Error {
  const finish = finishRemoval(id, force === 1)
  return fail('instance.lifecycle_conflict', {
    message: `The Instance ${name} is being removed. Finish that first: \`${finish}\`.`,
    details: { status, finish },
  })
}

/** The command that finishes a removal. */
export const finishRemoval = (id: number, force: boolean): string =>
  `fleet instance:destroy ${id}${force ? ' --force' : ''}`
