import type { Step } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { ofEach } from '#/project-updates/each.ts'
import type { ProjectUpdatesDeps } from '#/project-updates/deps.ts'
import { nodesWithRuntime } from '#/project-updates/queries.ts'
import { synchronize } from '#/project-updates/steps/domains.ts'
import { followersOf, isBelowProjectRoot, type ProjectUpdate } from '#/project-updates/update.ts'

/** Instances without a web root of their own get the next one: their kind, their `.env`, what serves them (PRJ-049). */
export const sources: Step<ProjectUpdate> = {
  name: 'sources',
  run: async (update) => {
    const { deps, call, after } = update
    const followers = (await followersOf(update)).filter(isBelowProjectRoot)
    // One after another: what serves them is behind locks of its own.
    await ofEach(
      update,
      'sources',
      followers,
      async (of) => {
        const isStored = await deps.environment.isStored(of.row.id)
        await deps.checkouts.projectAnew(call, of, after, { isStored })
        await deps.routes.publishAnew(deps.nodes.sessions.overTunnel(call, of.node), of.row.id)
        await synchronize(update, of)
      },
      1,
    )
  },
}

/** What runs on the Nodes of the Project names the next domains and directories. */
export const runtimes: Step<ProjectUpdate> = {
  name: 'runtimes',
  run: async (update) => {
    const { deps, call, stored } = update
    const concerned = await nodesWithRuntime(deps.store.db, stored.record.project_id)
    const nodes = new Map((await followersOf(update)).map(({ node }) => [node.id, node]))
    for (const [id, node] of nodes) if (concerned.has(id)) await converge(deps, call, node)
    return concerned.size === 0 ? 'skipped' : undefined
  },
}

async function converge(
  { runtimes: all, nodes }: ProjectUpdatesDeps,
  call: Call,
  node: NodeRecord,
): Promise<void> {
  for (const runtime of all) {
    if ((await runtime.digest(node)) === undefined) continue
    const result = await runtime.converge(nodes.sessions.overTunnel(call, node), { force: false })
    // Of a Process or Schedule, not necessarily of this Project; Doctor names it.
    if (typeof result === 'object')
      call.log('what runs on a Node did not follow its Project', {
        node: node.name,
        artifact: runtime.name,
        code: result.skipped,
      })
  }
}
