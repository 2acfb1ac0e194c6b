import { fail, projectTypeRules } from '@fleet/contract'
import { posix } from 'node:path'
import type { EnvironmentPlace } from '#/environment/commands/place.ts'
import type { Call } from '#/call.ts'
import type { HandlerRequest } from '#/handler.ts'
import { type InstanceRecord, type Instances, type PlacedInstance, requirePlaced } from '#/instances/api.ts'
import { identityOf } from '#/nodes/api.ts'
import type { Source } from '#/environment/rules.ts'

/** The Instance whose environment an operation is about: active, with complete placement. */
export interface Target {
  readonly instance: InstanceRecord
  /** From the Node's role, not from `APP_ENV` (ENV-041, ENV-067). */
  readonly environment: 'development' | 'production'
  readonly place: EnvironmentPlace
}

/**
 * The Instance of a request as it is before the lock, noted in the Activity. Throws `instance.not_found`,
 * `env.owner_unavailable` and `instance.placement_unavailable`.
 */
export async function findTarget(
  instances: Instances,
  {
    call,
    input,
    found,
  }: HandlerRequest<{ readonly instance: number }, { readonly instance: InstanceRecord }>,
): Promise<Target> {
  const target = found ? targetOf(found.instance) : await rereadTarget(instances, input.instance)
  call.note.target(target.instance.node_id)
  call.note.subject('instance', target.instance.id)
  return target
}

/**
 * The same Instance read again under its lock: it may have changed while the request waited. Throws
 * `instance.transfer_incomplete` too, unless it is asked by what places the Instance itself.
 */
export async function rereadTarget(
  instances: Instances,
  id: number,
  { isPlaced = false }: { readonly isPlaced?: boolean } = {},
): Promise<Target> {
  const instance = await instances.find(id)
  if (!instance) throw fail('instance.not_found')
  return isPlaced ? targetOf(instance) : heldTarget(instance)
}

/** That of an Instance as it was read under its lock. Throws `instance.transfer_incomplete` too. */
export function heldTarget(instance: InstanceRecord): Target {
  requirePlaced(instance)
  return targetOf(instance)
}

/** Runs the work under the Instance's operation lock. Throws `env.operation_busy`, and what `heldTarget` throws. */
export const holdingTarget = <T>(
  instances: Instances,
  call: Call,
  seen: PlacedInstance,
  work: (target: Target) => Promise<T>,
): Promise<T> =>
  instances.holding(call, { seen, busy: 'env.operation_busy' }, async (instance) =>
    work(heldTarget(instance)),
  )

/** Import and synchronization contact the Node (ENV-016). */
export function requireActiveNode({ instance: { node } }: Target): void {
  if (node.status !== 'active') throw fail('node.not_active', { details: { node: identityOf(node) } })
}

/** The source profile gives directory and framework (INS-130). */
export function requireProfile({ profile }: InstanceRecord): NonNullable<InstanceRecord['profile']> {
  if (!profile) throw fail('instance.source_profile_missing')
  return profile
}

/** The same with the rules of the Project's type. Throws `instance.source_profile_missing`. */
export const sourceOf = (instance: InstanceRecord): Source => ({
  profile: requireProfile(instance),
  needsRoute: projectTypeRules[instance.project.type].needsRoute,
})

/** Throws `env.owner_unavailable` and `instance.placement_unavailable`. */
export function targetOf(instance: InstanceRecord): Target {
  if (instance.status !== 'active')
    throw fail('env.owner_unavailable', { details: { status: instance.status } })
  const roles = instance.node.activeRoles.filter((role) => role === 'app-dev' || role === 'app-prod')
  const [role] = roles
  if (role === undefined || roles.length > 1) {
    throw fail('instance.placement_unavailable', { details: { node: identityOf(instance.node) } })
  }
  const environment = role === 'app-dev' ? 'development' : 'production'
  return { instance, environment, place: placeOf(instance, environment) }
}

function placeOf(instance: InstanceRecord, environment: Target['environment']): EnvironmentPlace {
  if (environment === 'development') {
    // From the Project's folder: creation made it no link, so one that is a link by now leads to somebody else's files.
    const { dir: root, base } = posix.parse(instance.checkout_path)
    const directory = posix.join(base, instance.profile?.applicationDirectory ?? '')
    return { user: instance.node.user, root, directory, file: '.env' }
  }
  const { production_user: user, production_home: root } = instance
  if (user === null || root === null) throw fail('env.owner_unavailable')
  return { user, root, directory: '', file: '.env' }
}
