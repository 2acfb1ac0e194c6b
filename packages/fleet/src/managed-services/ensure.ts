import { errorRegistry, fail } from '@fleet/contract'
import { type CodedError, Secret } from '@fleet/kernel'
import type { Answer } from '@fleet/shell'
import type {
  FileContent,
  ManagedService,
  RenderedService,
  RenderFacts,
  ServicePlaces,
} from '#/managed-services/declaration.ts'
import { decide, type Decision, runs, type EnsureOptions } from '#/managed-services/decide.ts'
import { executableFor, settleExecutable } from '#/managed-services/executable/ensure.ts'
import type { NodeExecutables } from '#/managed-services/executable/release.ts'
import { executablePlaceIn } from '#/managed-services/executable/scripts.ts'
import { NO_WRITES } from '#/managed-services/plan.ts'
import type { ProcessService } from '#/managed-services/process.ts'
import {
  type Applied,
  applyService,
  type Inspection,
  inspectService,
  removalScript,
  ServiceFailure,
  type ServiceScript,
} from '#/managed-services/scripts.ts'
import { identityOf, type NodeSession, sayingFull } from '#/nodes/api.ts'

export interface ServiceDeps {
  readonly executables: NodeExecutables
  /** Root folder of the Node; for tests on this machine. */
  readonly root?: string
}

export interface Ensured {
  readonly outcome: 'applied' | 'unchanged'
  /** SHA-256 by path of the secrets that are new; whoever declared them stores these last. */
  readonly newSecrets: ReadonlyMap<string, string>
  /** What the hook `facts` answered, before anything was changed. */
  readonly facts: Answer
  /** What was answered when something was changed, its hooks included. */
  readonly applied?: Answer
}

const EVERYTHING: EnsureOptions = { force: false, start: true }

/**
 * The service on the Node as declared: one round trip when it is, two when it is not, and those of the executable when
 * that differs. May be repeated. Throws the codes of the declaration with Node, unit, state and journal, `cli.*` and those of
 * NodeSession.
 */
export async function ensureService(
  deps: ServiceDeps,
  node: NodeSession,
  service: ManagedService,
  wish: Partial<EnsureOptions> = {},
): Promise<Ensured> {
  const given = { ...EVERYTHING, ...wish }
  const found = await attempt(node, service, inspectService, targetOf(deps, service))
  const rendered = service.render(await factsOf(deps, node, found))
  const { facts } = found
  const { force } = given
  const decision = decide(service, rendered, found.state, {
    ...given,
    force: force || rendered.isStale === true,
  })
  const placed = found.program
    ? await settleExecutable(node, deps.executables, found.program, {
        place: executablePlaceIn(deps.root ?? ''),
        onForeign: force ? 'replace' : 'leave',
      })
    : undefined
  const { newSecrets } = decision
  if (!decision.isNeeded) return { outcome: placed?.changed ? 'applied' : 'unchanged', newSecrets, facts }
  const { start } = given
  const application = { ...targetOf(deps, service), writes: decision, start }
  const applied = await attempt(node, service, applyService, application)
  requireConfirmed(node, service, confirmable(rendered, decision), applied, start)
  return { outcome: 'applied', newSecrets, facts, applied: applied.answer }
}

/**
 * A process whose files are in place runs as they say, in one round trip. Throws as `ensureService` does.
 */
export async function startService(
  deps: ServiceDeps,
  node: NodeSession,
  service: ProcessService,
  { restart }: { readonly restart: boolean },
): Promise<'applied' | 'unchanged'> {
  const { sha256 } = await executableFor(node, deps.executables, node.node.architecture ?? '')
  const { digest } = service.renderFor(sha256)
  const action = restart ? 'restart' : 'settle'
  const actions = new Map(service.units.map(({ name }) => [name, action] as const))
  const application = { ...targetOf(deps, service), writes: { ...NO_WRITES, digest, actions }, start: true }
  const { hasStarted } = await attempt(node, service, applyService, application)
  return hasStarted ? 'applied' : 'unchanged'
}

/** Ends its units in reverse order; everything else stays. */
export const stopService = async (
  deps: ServiceDeps,
  node: NodeSession,
  service: ServicePlaces,
): Promise<void> =>
  void (await attempt(node, service, removalScript, { ...targetOf(deps, service), depth: 'stop' }))

/** Takes the service away but what its declaration keeps, whose paths are answered. May be repeated. */
export async function removeService(
  deps: ServiceDeps,
  node: NodeSession,
  service: ServicePlaces,
): Promise<readonly string[]> {
  const departure = { ...targetOf(deps, service), depth: 'remove' as const }
  return (await attempt(node, service, removalScript, departure)).kept
}

const targetOf = ({ root = '' }: ServiceDeps, service: ServicePlaces) => ({ root, service })

async function factsOf(
  { executables }: ServiceDeps,
  node: NodeSession,
  { program, facts }: Inspection,
): Promise<RenderFacts> {
  if (!program) return { program: '', facts }
  return { program: (await executableFor(node, executables, program.architecture)).sha256, facts }
}

async function attempt<I, A>(
  node: NodeSession,
  service: ServicePlaces,
  script: ServiceScript<I, A>,
  input: I,
): Promise<A> {
  const answer = await node.ask({ ...script, broken: service.failure('script_failed').code }, input)
  if (answer instanceof ServiceFailure) throw failed(node, service, answer)
  return answer
}

const failed = (
  { node }: NodeSession,
  service: ServicePlaces,
  { reason, trouble, reported, full }: ServiceFailure,
): CodedError => {
  const { code, details } = service.failure(reason, reported)
  const unit = trouble && service.printsForOthers ? { ...trouble, journal: [] } : trouble
  const folder =
    (reason === 'folder_unsafe' || reason === 'lock_unsafe') && reported ? { folder: reported.message } : {}
  const isUnexplained = reason === 'write_failed' && full.length === 0
  const said = sayingFull(isUnexplained ? unwritten(node.name) : errorRegistry[code].message, node.name, full)
  return fail(code, {
    message: said.message,
    details: { node: identityOf(node), ...details, ...folder, ...unit, ...said.details },
  })
}

/** What the code of a service says is about its manager, which has not been asked yet. */
const unwritten = (name: string): string =>
  `The Node ${name} could not write the files of this service: its disk may be full or read-only (\`df -h /etc\` on the Node). Make room there, then run the same command again.`

/** With the secrets that were made on the way. */
function confirmable(rendered: RenderedService, { newSecrets }: Decision): RenderedService {
  const files: Record<string, FileContent> = { ...rendered.files }
  for (const [path, knownSha256] of newSecrets) files[path] = { knownSha256, create: () => NOTHING }
  return { ...rendered, files }
}

const NOTHING = new Secret('')

function requireConfirmed(
  node: NodeSession,
  service: ServicePlaces,
  rendered: RenderedService,
  { state }: Applied,
  start: boolean,
): void {
  const { isNeeded } = decide(service, rendered, state, { force: false, start: false })
  if (isNeeded || (start && !runs(service, rendered, state)))
    throw failed(node, service, new ServiceFailure('not_confirmed'))
}
