import { fail, invalid, projectTypeRules } from '@fleet/contract'
import type { SourceChanges, TypedInstance } from '#/projects/ports.ts'
import { rootProblem, type SourceValues } from '#/projects/source-rules.ts'

/**
 * Whether the Instances of a Project can be of another type: each root of their own is one that it allows, and each that is active has
 * the Route that it needs (PRJ-015, PRJ-016). One that is not finished would become active without it. Throws `validation.failed`,
 * `instance.lifecycle_conflict` and `instance.route_required`, which name them.
 */
export async function requireTypeFits(
  { sources }: { readonly sources: SourceChanges },
  projectId: number,
  { type }: Pick<SourceValues, 'type'>,
): Promise<void> {
  const instances = await sources.instancesOf(projectId)
  const problems = instances.flatMap(({ id, name, root }) => {
    const problem = root === null ? undefined : rootProblem(root, type)
    return problem === undefined ? [] : [`the root of the Instance ${name} (${id}) ${problem}`]
  })
  if (problems.length > 0) throw invalid({ type: problems })
  if (!projectTypeRules[type].needsRoute) return
  const without = instances.filter(({ hasRoute }) => !hasRoute)
  const unfinished = without.filter(({ isActive }) => !isActive)
  if (unfinished.length > 0) throw notFinished(type, unfinished)
  if (without.length > 0) throw routesMissing(type, without)
}

const named = (instances: readonly TypedInstance[]) => instances.map(({ id, name }) => ({ id, name }))

const notFinished = (type: string, instances: readonly TypedInstance[]): Error =>
  fail('instance.lifecycle_conflict', {
    message: `Instances that are created as those of another type have no Route, which a Project of type ${type} needs. Let the command that creates each finish it, or destroy it, and repeat: ${instances
      .map(({ id, name }) => `\`fleet instance:destroy ${id}\` (${name})`)
      .join(', ')}.`,
    details: { type, instances: named(instances) },
  })

const routesMissing = (type: string, instances: readonly TypedInstance[]): Error =>
  fail('instance.route_required', {
    message: `Every active Instance of a Project of type ${type} has a Route of its own. Create one for each that has none: ${instances
      .map(({ id, name }) => `\`fleet route:create DOMAIN --instance ${id}\` (${name})`)
      .join(', ')}.`,
    details: { type, instances: named(instances) },
  })
