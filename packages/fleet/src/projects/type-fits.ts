import { fail, invalid, projectTypeRules } from '@fleet/contract'
import type { SourceChanges, TypedInstance } from '#/projects/ports.ts'
import { rootProblem, type SourceValues } from '#/projects/source-rules.ts'

/**
 * Whether the Instances of a Project can be of another type: each root of their own is one that it allows, and each that is active has
 * the Route that it needs (PRJ-015, PRJ-016). Throws `validation.failed` and `instance.route_required`, which name them.
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
  const without = instances.filter(({ isActive, hasRoute }) => isActive && !hasRoute)
  if (without.length > 0) throw routesMissing(type, without)
}

const routesMissing = (type: string, instances: readonly TypedInstance[]): Error =>
  fail('instance.route_required', {
    message: `Every active Instance of a Project of type ${type} has a Route of its own. Create one for each that has none: ${instances
      .map(({ id, name }) => `\`fleet route:create DOMAIN --instance ${id}\` (${name})`)
      .join(', ')}.`,
    details: { type, instances: instances.map(({ id, name }) => ({ id, name })) },
  })
