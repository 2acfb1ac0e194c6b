import { usage } from '#/exit.ts'
import { runOperation, type Shape } from '#/operation.ts'
import type { LocalRun } from '#/local/local-run.ts'

type Texts = readonly string[]

/**
 * `fleet route:target:set`: one Instance, or with a further option the complete ordered set, whose first one may be the
 * argument.
 */
export const runTargetSet: LocalRun = async (context, invocation) => {
  const operation = context.tree.commands[invocation.command.name]
  if (!operation) throw new Error(`the catalogue has no ${invocation.command.name}`)
  return runOperation(context, invocation, operation, targetSet)
}

/** What the words of the command line are in the request. */
export const targetSet = {
  isDestructive: ({ remove }) => remove !== undefined,
  compose: async ({ targets, reassign, remove, instance_id, ...members }, idsOf) => {
    if (targets === undefined && reassign === undefined && remove === undefined)
      return { ...members, ...(instance_id === undefined ? {} : { instance_id }) }
    const pairs = textsOf(reassign).map(pairOrRefuse)
    const wanted = [...textsOf(instance_id === undefined ? [] : [instance_id]), ...textsOf(targets)]
    if (wanted.length === 0)
      throw usage(
        'Nothing says which Instances are to serve the Route.',
        'Name each with --targets INSTANCE, in their order.',
      )
    const leaving = pairs.map(([instance]) => instance)
    const [instances, routes] = await Promise.all([
      idsOf('instance', [...wanted, ...leaving, ...textsOf(remove)]),
      idsOf(
        'route',
        pairs.map(([, route]) => route),
      ),
    ])
    const left = instances.slice(wanted.length)
    const dispositions = left.map((id, at) =>
      at < routes.length ? { instance_id: id, route_id: routes[at] } : { instance_id: id, remove: true },
    )
    return {
      ...members,
      targets: instances.slice(0, wanted.length),
      ...(dispositions.length === 0 ? {} : { dispositions }),
    }
  },
} satisfies Shape

const textsOf = (value: unknown): Texts => (Array.isArray(value) ? value.map(String) : [])

/** No name of an Instance or of a Route has a colon. */
function pairOrRefuse(text: string): readonly [instance: string, route: string] {
  const [instance = '', route = '', ...rest] = text.split(':')
  if (instance === '' || route === '' || rest.length > 0)
    throw usage(`--reassign takes INSTANCE:ROUTE, such as demo/old:other.test, not ${JSON.stringify(text)}.`)
  return [instance, route]
}
