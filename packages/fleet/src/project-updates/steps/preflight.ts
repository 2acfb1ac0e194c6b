import { fail } from '@fleet/contract'
import { type Following, type ProjectCheckout, requireNoTransfer } from '#/instances/api.ts'
import { ofEach } from '#/project-updates/each.ts'
import {
  all,
  changes,
  followersOf,
  isBelowProjectRoot,
  isOnDefaultBranch,
  type ProjectUpdate,
  productionIn,
  store,
} from '#/project-updates/update.ts'

/** Everything that could stand in the way is asked before the first change, on every Node (PRJ-042). */
export async function preflight(update: ProjectUpdate): Promise<void> {
  await update.check()
  const instances = await all(update)
  requireSettled(instances)
  const followers = await followersOf(update)
  const origins: Record<string, string> = {}
  const [seen, branches, switched]: [number[], number[], number[]] = [[], [], []]
  await ofEach(update, 'preflight', followers, async (of) => {
    const found = await update.deps.checkouts.inspect(update.call, of, followingOf(update, of))
    seen.push(of.row.id)
    // Any other may hold a credential of its user, which nobody needs here.
    if (changes(update, 'repository_url')) origins[of.row.id] = found.origin
    if (found.hasBranch) branches.push(of.row.id)
    if (found.isSwitched) switched.push(of.row.id)
    if (changes(update, 'root') && isBelowProjectRoot(of)) await requireRoot(update, of)
  })
  await requireDomains(update)
  await store(update, { found: { origins, seen, branches, switched, production: productionIn(instances) } })
}

/** Throws `instance.lifecycle_conflict` and `node.not_active`. */
function requireSettled(instances: readonly ProjectCheckout[]): void {
  for (const { row, node } of instances) {
    const instance = { id: row.id, name: row.name }
    if (row.status !== 'active')
      throw fail('instance.lifecycle_conflict', {
        message: `The Instance ${row.name} is ${row.status}, and an update of its Project needs every Instance active.`,
        details: { instance, status: row.status },
      })
    requireNoTransfer(row)
    if (row.environment === 'development' && node.status !== 'active')
      throw fail('node.not_active', { details: { node: { id: node.id, name: node.name }, instance } })
  }
}

function followingOf(update: ProjectUpdate, of: ProjectCheckout): Following {
  const { before, after } = update
  const branch = after.default_branch ?? ''
  const isSwitched = changes(update, 'default_branch') && isOnDefaultBranch(of)
  return {
    project: before,
    url: changes(update, 'repository_url') ? after.repository_url : undefined,
    branch,
    switching: isSwitched ? { from: of.row.selected_branch ?? '', to: branch } : undefined,
  }
}

/** Throws the refusals of the next domains (PRJ-055). */
async function requireDomains(update: ProjectUpdate): Promise<void> {
  const { deps, stored, after } = update
  if (changes(update, 'slug')) await deps.routes.plan(stored.record.project_id, after.slug)
}

/**
 * Throws the refusals of the next web root and of the `.env` beside it (PRJ-042, PRJ-055): once it is published, nothing goes back to
 * the one before. What a branch brings that is yet to be checked out cannot be seen.
 */
async function requireRoot(update: ProjectUpdate, of: ProjectCheckout): Promise<void> {
  const { deps, call, after } = update
  const profile = await deps.checkouts.examine(call, of, after)
  const isSeen = followingOf(update, of).switching === undefined
  const session = isSeen ? deps.nodes.sessions.overTunnel(call, of.node) : undefined
  await deps.routes.requireRoot(of.row.id, after.root ?? '.', session)
  if (isSeen && (await deps.environment.isStored(of.row.id)))
    await deps.environment.requireSynchronizable(call, of.row.id, profile)
}
