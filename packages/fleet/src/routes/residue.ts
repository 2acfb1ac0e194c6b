import { posix } from 'node:path'
import type { Database } from '@fleet/store'
import type { NodeArtifact, NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { endsRequest } from '#/perform-steps.ts'
import { checkoutPathsOn } from '#/routes/checks/queries.ts'
import { serveRelease } from '#/routes/production/access.ts'
import { countAttempt, deleteResidue, productionAt, residuesOn } from '#/routes/queries.ts'
import type { RouteResidue } from '#/routes/record.ts'
import { isRouterScope, proxyScope } from '#/routes/scopes.ts'
import { scopeOf } from '#/routes/served.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { CodedError } from '@fleet/kernel'

/**
 * What removed Routes left on a Node that was skipped: its sites are built as the records are now, then the certificates go by
 * the ids of the Routes (RTE-057, RTE-180). The web server may read no more than what is served now (SRC-001). A failure keeps the residue and counts the attempt (RTE-181).
 */
export const makeResidueArtifact = (
  deps: Pick<RoutesDeps, 'store' | 'certificates' | 'webServer' | 'php' | 'sourceAccess'>,
): NodeArtifact => ({
  name: 'route-residue',
  digest: async (node) => {
    const found = await residuesOn(deps.store.db, node.id)
    return found.length === 0 ? undefined : found.map(({ id }) => String(id)).join(' ')
  },
  converge: async (session) => {
    const { db } = deps.store
    const residues = await residuesOn(db, session.node.id)
    try {
      await deps.webServer.build(session, 'app-dev')
      if (residues.some(({ leaf_scope }) => leaf_scope !== null && !isRouterScope(leaf_scope))) {
        await deps.php.converge(session)
        for (const path of await checkoutPathsOn(db, session.node.id))
          await deps.sourceAccess.apply(session, path)
      }
      for (const residue of residues) {
        const { id, route_id, leaf_scope } = residue
        const scope = leaf_scope ?? proxyScope({ id: route_id })
        if (!(await presentedOn(db, session.node.id)).has(scope))
          await deps.certificates.withdrawLeaf(session, { scope })
        await closeSource(deps, session, residue)
        await deleteResidue(db, id)
      }
      return 'applied'
    } catch (error) {
      for (const { id } of await residuesOn(db, session.node.id)) await countAttempt(db, id)
      if (!(error instanceof CodedError) || endsRequest(error)) throw error
      return { skipped: codeOf(error) }
    }
  },
})

/** Certificates that Instances of the Node have by now: what is named by an Instance may have been issued again since. */
const presentedOn = async (db: Database, nodeId: number): Promise<ReadonlySet<string>> =>
  new Set((await servedRows(db, { nodeId, isMoving: true })).map(scopeOf))

/** Of the release of an Instance the web server reads what is served of it now: nothing once the Instance is gone. */
async function closeSource(
  { store, sourceAccess }: Pick<RoutesDeps, 'store' | 'sourceAccess'>,
  session: NodeSession,
  { node_id, source_path, source_user }: RouteResidue,
): Promise<void> {
  if (source_path === null || source_user === null) return
  const release = posix.basename(source_path)
  const home = posix.dirname(posix.dirname(source_path))
  const owner = await productionAt(store.db, { node_id, home })
  const isServed = owner?.selected_release === release
  const routes = isServed ? await servedRows(store.db, { instanceId: owner.id, isMoving: true }) : []
  await serveRelease({ sourceAccess }, session, { release, user: source_user, home }, routes)
}
