import { fail, type InstanceData, invalid, type RegistrationData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { withDetails } from '#/error-details.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { findInstance, presented } from '#/instances/require.ts'
import { registerOne } from './adopt.ts'
import { requireWellFormed, sourcePathOf } from './rules.ts'
import { refusedWorktree, requireAdoptable, type Source, survey, surveyIfPresent } from './survey.ts'

/**
 * Adopts a checkout of the calling Node as a development Instance, or resumes an adoption that was cut off (INS-074 to INS-081).
 * The directory itself stays: nothing in it is deleted, whatever fails.
 */
export const makeRegister =
  (deps: InstanceDeps): Handler<'instance:register'> =>
  async ({ call, input }) => {
    const sourcePath = sourcePathOf(input.source_path)
    if (sourcePath === undefined) throw invalid({ source_path: ['must be the absolute path of a directory'] })
    requireWellFormed(input)
    const node = call.caller && (await deps.nodes.find(call.caller.id))
    if (!node) throw fail('peer.identity_unknown')
    call.note.target(node.id)
    const source: Source = { input, sourcePath, node, session: deps.nodes.sessions.overTunnel(call, node) }
    return input.include_worktrees === true
      ? withWorktrees(deps, call, source)
      : registerOne(deps, call, source)
  }

/**
 * The checkout, then each of its linked worktrees (INS-078). All are examined before the first one moves; one that fails
 * afterwards keeps those before it, and the identical request resumes with it.
 */
async function withWorktrees(
  deps: InstanceDeps,
  call: Call,
  source: Source,
): Promise<{ readonly data: RegistrationData; readonly created: boolean }> {
  const found = await surveyIfPresent(source.session, source.sourcePath)
  if (found?.main) throw refusedWorktree(source, 'Name the checkout that the worktree belongs to.')
  if (found) await requireAdoptable(deps, source, found)
  const first = await registerOne(deps, call, source)
  const main = first.data.app_instance
  const instances: InstanceData[] = [main]
  let { created } = first
  const left = await worktreesOf(deps, source, main)
  for (const worktree of left) {
    if (typeof worktree !== 'string') {
      instances.push(worktree)
      continue
    }
    const input = {
      source_path: worktree,
      project_id: main.project_id,
      root: source.input.root,
      setup: source.input.setup,
    }
    const next = await registerOne(deps, call, { ...source, sourcePath: worktree, input }).catch(
      (error: unknown) => {
        const reached = { completed_count: instances.length, source_count: left.length + 1 }
        throw withDetails(error, { source_path: worktree, ...reached }, 'instance.source_failed')
      },
    )
    instances.push(next.data.app_instance)
    created ||= next.created
  }
  call.note.subject('instance', main.id)
  const count = instances.length
  return { data: { ...first.data, instances, source_count: count, completed_count: count }, created }
}

/** Its worktrees: those that are Instances as they are, the others by the directory that they are or were adopted from. */
async function worktreesOf(
  deps: InstanceDeps,
  { session, node }: Source,
  main: InstanceData,
): Promise<readonly (string | InstanceData)[]> {
  const rows = await deps.queries.worktreesOf(main.id)
  const known = await Promise.all(
    rows.map(async (row) => {
      const from = (await deps.registrations.find(row.id))?.source_path
      if (from !== undefined && (row.status !== 'active' || row.failed_step !== null)) return from
      const owner = await findInstance(deps, row.id)
      return owner ? presented(deps, owner.row, owner) : undefined
    }),
  )
  const taken = new Set(await deps.queries.pathsOn(node.id))
  const { worktrees } = await survey(session, main.checkout_path)
  const begun = known.filter((one) => one !== undefined)
  return [...begun, ...worktrees.filter((path) => !taken.has(path) && !begun.includes(path))]
}
