import { fail, type InputOf, type RegistrationData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { type Placement, requireAppNode, requireSameProject, requireUsable } from '#/instances/guards.ts'
import { withLifecycleLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { publishKept } from '#/instances/publish-kept.ts'
import { presented } from '#/instances/require.ts'
import { reserve } from '#/instances/reserve.ts'
import { beingRemoved, DEFAULT_NAME, isSameDomain, rulesOf } from '#/instances/rules.ts'
import { runSetup } from '#/instances/setup.ts'
import { isKept } from '#/instances/steps/run-creation.ts'
import {
  instanceRegistration,
  type Registration,
  registrationError,
  registrationLog,
} from '#/instances/steps/registration.ts'
import { performSteps } from '#/perform-steps.ts'
import { presentProject } from '#/projects/api.ts'
import { registeredName } from './rules.ts'
import {
  projectOf,
  requireMain,
  requireUnbroken,
  requireUnmanaged,
  type Source,
  survey,
  surveyIfPresent,
} from './survey.ts'

interface Wanted {
  readonly input: InputOf<'instance:register'>
  readonly sourcePath: string
  readonly placement: Placement
}

/** Adopts one directory, or resumes its adoption. */
export async function registerOne(
  deps: InstanceDeps,
  call: Call,
  source: Source,
): Promise<{ readonly data: RegistrationData; readonly created: boolean }> {
  const { input, sourcePath, node } = source
  const known = await deps.registrations.findBySource(node.id, sourcePath)
  if (known && (await isGone(deps, known, source))) return resume(deps, call, known, source)
  requireAppNode(node)
  const { name, placement, main } = await examine(deps, source)
  const wanted = { input, sourcePath, placement }
  const effectiveRoot = await requireUsable(deps.nodes, placement, creationOf(wanted, name))
  return withLifecycleLock(deps.store, call, { projectId: placement.project.id, name }, async () => {
    if (await deps.queries.findNamed(placement.project.id, name))
      throw fail('instance.identity_conflict', { details: { name } })
    const row = await reserve(deps, call, {
      placement,
      input: creationOf(wanted, name),
      effectiveRoot,
      registeredFrom: sourcePath,
      worktreeOf: main?.id,
    })
    call.note.subject('instance', row.id)
    return { data: await finish(deps, call, wanted, { row, isFresh: true }), created: true }
  })
}

/** Whether the directory became this Instance, or is about to: after that another checkout may have come to its place. */
async function isGone(
  { registrations }: InstanceDeps,
  known: InstanceRow,
  { sourcePath, session }: Source,
): Promise<boolean> {
  if (!rulesOf(known).isCreated || known.checkout_path === sourcePath) return true
  if ((await registrations.find(known.id))?.has_copy) return true
  return (await surveyIfPresent(session, sourcePath)) === undefined
}

async function examine(
  deps: InstanceDeps,
  { input, sourcePath, node, session }: Source,
): Promise<{
  readonly name: string
  readonly placement: Placement
  readonly main: InstanceRow | undefined
}> {
  const found = await survey(session, sourcePath)
  const project = await projectOf(deps, found, input.project_id)
  const main = found.main && (await requireMain(deps, { node, project }, found.main))
  await requireUnmanaged(deps, node, sourcePath, { preparation: found.preparation, main })
  const name = registeredName(project, found, { sourcePath, given: input.instance_name })
  requireUnbroken(found, { sourcePath, placement: { project, node }, name })
  return { name, placement: { project, node }, main }
}

/** What a creation of the same Instance would ask for. */
const creationOf = ({ input, placement }: Wanted, name: string): InputOf<'instance:create'> => ({
  project_id: placement.project.id,
  node_id: placement.node.id,
  name,
  root: input.root,
  domain: input.domain,
})

async function resume(
  deps: InstanceDeps,
  call: Call,
  known: InstanceRow,
  { input, sourcePath, node }: Source,
): Promise<{ readonly data: RegistrationData; readonly created: boolean }> {
  call.note.subject('instance', known.id)
  const project = await deps.projects.find(known.project_id)
  if (!project) throw fail('project.not_found')
  const wanted = { input, sourcePath, placement: { project, node } }
  if (!(await isSameRequest(deps, known, wanted)))
    throw fail('instance.identity_conflict', { details: { instance_id: known.id } })
  return withLifecycleLock(deps.store, call, { projectId: project.id, name: known.name }, async () => {
    const row = await deps.queries.find(known.id)
    if (!row || rulesOf(row).isLeaving) throw beingRemoved(row ?? known)
    await requireSameProject(deps, { project })
    return { data: await finish(deps, call, wanted, { row, isFresh: false }), created: false }
  })
}

async function isSameRequest(
  { routes }: InstanceDeps,
  row: InstanceRow,
  { input, placement }: Wanted,
): Promise<boolean> {
  const { project_id: projectId, instance_name: name, root = null, domain } = input
  if (projectId !== undefined && projectId !== row.project_id) return false
  if (name !== undefined && row.name !== DEFAULT_NAME && name !== row.name) return false
  if (root !== row.root) return false
  return isSameDomain((await routes.own([row.id])).get(row.id), { type: placement.project.type, domain })
}

async function finish(
  deps: InstanceDeps,
  call: Call,
  { input, placement }: Wanted,
  { row, isFresh }: { readonly row: InstanceRow; readonly isFresh: boolean },
): Promise<RegistrationData> {
  const checkout = {
    session: deps.nodes.sessions.overTunnel(call, placement.node),
    project: placement.project,
  }
  const isBefore = !rulesOf(row).isCreated
  const ready = await adopted(deps, checkout, row, { isFresh, setsUp: input.setup ?? false }).catch(
    async (error: unknown) => {
      if (isBefore)
        await publishKept(deps, call, { id: row.id, placement }, (left) => rulesOf(left).isCreated)
      throw error
    },
  )
  const instance = await presented(deps, ready, placement)
  // At once: the worktrees after it may fail.
  if (isBefore) await call.publish('instance.created', instance)
  return {
    app: presentProject(placement.project),
    app_instance: instance,
    instances: [instance],
    status: 'completed',
    source_count: 1,
    completed_count: 1,
  }
}

async function adopted(
  deps: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
  given: Pick<Registration, 'isFresh' | 'setsUp'>,
): Promise<InstanceRow> {
  const active = await adopt(deps, checkout, row, given)
  const isSetUp = active.failed_step !== 'setup' || active.error_code !== null
  return isSetUp ? active : runSetup(deps, checkout, active)
}

async function adopt(
  { queries, projects, routes, store, registrations }: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
  given: Pick<Registration, 'isFresh' | 'setsUp'>,
): Promise<InstanceRow> {
  const source = await registrations.find(row.id)
  if (!source) throw fail('instance.identity_conflict', { details: { instance_id: row.id } })
  const domain = (await routes.own([row.id])).get(row.id)?.domain
  const main = row.worktree_of === null ? undefined : await queries.find(row.worktree_of)
  const common = {
    checkout: { ...checkout, isNew: true },
    queries,
    projects,
    store,
    routes,
    registrations,
    main,
  }
  const registration: Registration = { ...common, ...given, domain, row, source, found: {} }
  await performSteps(instanceRegistration, registration, {
    call: checkout.session.call,
    log: registrationLog(registration),
    kindOf: isKept,
    errorOf: (failure) => registrationError(registration, failure),
  })
  return registration.row
}
