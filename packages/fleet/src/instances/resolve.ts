import { fail, normalizeDomain, type ResolvedInstance } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { type Handler, SeveralRecords } from '#/handler.ts'
import type { InstanceDeps } from './deps.ts'
import type { InstanceRow } from './queries.ts'

/** Answers a domain to whoever may act on the Node of its Instance (INS-039, INS-040, DEP-035). */
export const makeResolve =
  (deps: InstanceDeps): Handler<'instance:resolve'> =>
  async ({ call, input }) => {
    const domain = normalizeDomain(input.domain)
    const rows = domain === undefined ? [] : await targetsOf(deps, domain)
    if (domain === undefined || !(await mayActOnOne(deps, call, rows)))
      throw fail('dependencies.target_not_found')
    return { data: { domain, ...onlyOne(call, rows) } }
  }

async function targetsOf(
  { routes, queries }: Pick<InstanceDeps, 'routes' | 'queries'>,
  domain: string,
): Promise<readonly InstanceRow[]> {
  const ids = await routes.targetsOf(domain)
  const rows = await Promise.all(ids.map((id) => queries.find(id)))
  return rows.filter((row) => row !== undefined)
}

/** Who may act on none of them does not learn how many there are. */
async function mayActOnOne(
  { nodes }: InstanceDeps,
  { caller }: Call,
  rows: readonly InstanceRow[],
): Promise<boolean> {
  if (!caller) return false
  const allowed = await Promise.all(rows.map(({ node_id }) => nodes.mayActOn(caller.id, node_id)))
  return allowed.includes(true)
}

/** Throws the three codes of a target (DEX-012). */
export function onlyOne(call: Call, rows: readonly InstanceRow[]): ResolvedInstance {
  const [row, ...others] = rows
  if (!row) throw fail('dependencies.target_not_found')
  if (others.length > 0) throw fail('dependencies.target_ambiguous', { details: { instances: rows.length } })
  call.note.subject('instance', row.id)
  const { id: instance_id, project_id, node_id, environment, status } = row
  if (status !== 'active')
    throw fail('dependencies.instance_unavailable', { details: { instance_id, status } })
  return { instance_id, project_id, node_id, environment }
}

/** The Instance that a domain leads to. Throws SeveralRecords with `env.target_ambiguous` for a pool (ENV-008). */
export async function targetOf(
  { routes, queries }: Pick<InstanceDeps, 'routes' | 'queries'>,
  text: string,
): Promise<number | undefined> {
  const domain = normalizeDomain(text)
  if (domain === undefined) return undefined
  const [first, ...others] = await routes.targetsOf(domain)
  if (first === undefined || others.length === 0) return first
  const rows = await targetsOf({ routes, queries }, domain)
  const error = fail('env.target_ambiguous', { details: { domain } })
  throw new SeveralRecords(error, [...new Set(rows.map(({ node_id }) => node_id))])
}
