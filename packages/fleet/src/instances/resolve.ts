import { fail, normalizeDomain } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { InstanceParts } from './parts.ts'
import { findInstance, presented } from './require.ts'

/** Answers a domain to whoever may act on the Node of its Instance (INS-039, INS-040). */
export const makeResolve =
  (parts: InstanceParts): Handler<'instance:resolve'> =>
  async ({ call, input }) => {
    const id = await targetOf(parts, input.domain)
    const found = id === undefined ? undefined : await findInstance(parts, id)
    const { caller } = call
    if (!found || !caller || !(await parts.nodes.mayActOn(caller.id, found.node.id)))
      throw fail('instance.not_found')
    call.note.subject('instance', found.row.id)
    return { data: await presented(parts, found.row, found) }
  }

/** The Instance that a domain leads to. Throws `env.target_ambiguous` for a pool (ENV-008). */
export async function targetOf(
  { routes }: Pick<InstanceParts, 'routes'>,
  text: string,
): Promise<number | undefined> {
  const domain = normalizeDomain(text)
  if (domain === undefined) return undefined
  const [first, ...others] = await routes.targetsOf(domain)
  if (others.length > 0) throw fail('env.target_ambiguous', { details: { domain } })
  return first
}
