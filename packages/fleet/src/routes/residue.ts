import { posix } from 'node:path'
import type { Database } from '@fleet/store'
import {
  type ArtifactParts,
  artifactParts,
  type NodeArtifact,
  type NodeSession,
  skippedBy,
} from '#/nodes/api.ts'
import { withDetails } from '#/error-details.ts'
import { endsRequest } from '#/perform-steps.ts'
import { checkoutPathsOn } from '#/routes/checks/queries.ts'
import { serveRelease } from '#/routes/production/access.ts'
import { countAttempts, deleteResidue, keepOfResidue, productionAt, residuesOn } from '#/routes/queries.ts'
import type { RouteResidue } from '#/routes/record.ts'
import { isRouterScope, proxyScope } from '#/routes/scopes.ts'
import { scopeOf } from '#/routes/served.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { CodedError } from '@fleet/kernel'

type Deps = Pick<RoutesDeps, 'store' | 'certificates' | 'webServer' | 'php' | 'sourceAccess'>

/**
 * What removed Routes left on a Node that was skipped: its sites are built as the records are now, then the certificates go by
 * the ids of the Routes (RTE-057, RTE-180). The web server may read no more than what is served now (SRC-001): where that cannot be
 * set, the residue is kept for it alone (decision 0368). A failure keeps the residue and counts the attempt (RTE-181).
 */
export const makeResidueArtifact = (deps: Deps): NodeArtifact => ({
  name: 'route-residue',
  digest: async (node) => {
    const found = await residuesOn(deps.store.db, node.id)
    return found.length === 0 ? undefined : found.map(({ id }) => String(id)).join(' ')
  },
  converge: async (session) => {
    const { db } = deps.store
    try {
      const skipped = await clear(deps, session)
      if (skipped) await countAttempts(db, session.node.id)
      return skipped ?? 'applied'
    } catch (error) {
      await countAttempts(db, session.node.id)
      if (!(error instanceof CodedError) || endsRequest(error)) throw error
      return skippedBy(error)
    }
  },
})

/** One part that cannot be cleared does not keep the others from it. Answers why the first of them was skipped. */
async function clear(deps: Deps, session: NodeSession): Promise<ReturnType<ArtifactParts['skipped']>> {
  const { db } = deps.store
  const residues = await residuesOn(db, session.node.id)
  const parts = artifactParts()
  // What a live file names is never missing (RTX-095).
  await deps.webServer.build(session, 'app-dev')
  const cleared: RouteResidue[] = []
  for (const residue of residues)
    if (await parts.attempt(() => withdraw(deps, session, residue))) cleared.push(residue)
  const left = residues.some(mayHaveSources) ? await closeSources(deps, session, parts) : []
  for (const residue of cleared)
    await (left.length > 0 && mayHaveSources(residue)
      ? keepOfResidue(db, residue.id, left)
      : deleteResidue(db, residue.id))
  return parts.skipped()
}

/** Of a Route to an Instance, which a pool or a checkout may be left of. */
const mayHaveSources = ({ leaf_scope }: RouteResidue): boolean =>
  leaf_scope !== null && !isRouterScope(leaf_scope)

async function withdraw(deps: Deps, session: NodeSession, residue: RouteResidue): Promise<true> {
  const scope = residue.leaf_scope ?? proxyScope({ id: residue.route_id })
  if (!(await presentedOn(deps.store.db, session.node.id)).has(scope))
    await deps.certificates.withdrawLeaf(session, { scope })
  await closeSource(deps, session, residue)
  return true
}

/** Pools and checkouts of the Node as they are served now. Answers the steps that could not be done. */
async function closeSources(
  { store, php, sourceAccess }: Deps,
  session: NodeSession,
  parts: ArtifactParts,
): Promise<readonly string[]> {
  const left = new Set<string>()
  const attempt = async (step: string, work: () => Promise<unknown>): Promise<void> => {
    const isDone = await parts.attempt(async () => {
      await work()
      return true
    })
    if (isDone !== true) left.add(step)
  }
  await attempt('php', () => php.converge(session))
  for (const path of await checkoutPathsOn(store.db, session.node.id))
    await attempt(ACCESS, () => applyTo({ sourceAccess }, session, path))
  return [...left]
}

const ACCESS = 'source-access'

/** The error names paths within the checkout; of several checkouts only a whole path can be found. */
async function applyTo(
  { sourceAccess }: Pick<Deps, 'sourceAccess'>,
  session: NodeSession,
  checkout: string,
): Promise<void> {
  try {
    await sourceAccess.apply(session, checkout)
  } catch (error) {
    const path = error instanceof CodedError ? error.details?.['path'] : undefined
    if (!(error instanceof CodedError) || endsRequest(error)) throw error
    throw withDetails(
      error,
      {
        checkout_path: checkout,
        ...(typeof path === 'string' ? { path: posix.resolve(checkout, path) } : {}),
      },
      'app-dev.source_access_failed',
    )
  }
}

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
