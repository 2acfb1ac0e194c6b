import type { Step } from '@fleet/steps'
import { requireScopes } from '#/clusters/api.ts'
import { writeApplicationUrl } from '#/routes/application-url.ts'
import { domainTaken } from '#/routes/plan.ts'
import {
  deleteReplacements,
  reserveReplacement,
  updateReplacements,
} from '#/routes/steps/replacement/queries.ts'
import {
  expectRouters,
  publishRouterLeaves,
  serveOnRouters,
  withdrawRouterLeaves,
  withdrawRouterSites,
} from '#/routes/routers/serve.ts'
import { addResidues } from '#/routes/queries.ts'
import { residuesOf } from '#/routes/steps/withdrawal.ts'
import { appLeaf, scopeOf } from '#/routes/served.ts'
import { closeToPublic, publishingSteps } from '#/routes/edge/publish.ts'
import {
  buildEach,
  edgeOfNew,
  isSkipped,
  ofEach,
  onEach,
  type Replacement,
  replacementsOf,
  routeIdsOf,
  servedByNew,
  servedByOld,
} from '#/routes/steps/replacement/replacement.ts'

const store = (replacement: Replacement, values: Parameters<typeof updateReplacements>[2]): Promise<void> =>
  updateReplacements(replacement.deps.store.db, routeIdsOf(replacement), values)

/** All of them or none (RTE-050, RTE-051). What an earlier request reserved begins again (RTX-026). */
const reserve: Step<Replacement> = {
  name: 'reserve',
  run: async (replacement) => {
    const { deps, changes } = replacement
    const created_at = deps.clock.now().toISOString()
    await deps.store.transaction(async (tx) => {
      await requireScopes(
        tx,
        changes.flatMap(({ scope }) => scope ?? []),
      )
      for (const change of changes)
        if (!(await reserveReplacement(tx, { ...change, created_at }))) throw domainTaken(change.domain)
    })
    await store(replacement, { status: 'pending', failed_step: null, error_code: null })
  },
  undo: async (replacement) => {
    const { store: records, clock } = replacement.deps
    const left = (await servedByNew(replacement)).filter((served) => isSkipped(replacement, served))
    await records.transaction(async (tx) => {
      await addResidues(
        tx,
        left.flatMap((served) => residuesOf(served, clock)),
      )
      await deleteReplacements(tx, routeIdsOf(replacement))
    })
  },
}

/** A leaf of their own until the cutover: what is live keeps its own (RTX-098). */
const certificate: Step<Replacement> = {
  name: 'workload-certificate',
  run: async (replacement) =>
    onEach(replacement, await servedByNew(replacement), (session, served) =>
      replacement.deps.certificates.publishLeaf(session, { ...appLeaf(served), isLoadedLater: true }),
    ),
  undo: async (replacement) =>
    onEach(replacement, await servedByNew(replacement), (session, served) =>
      replacement.deps.certificates.withdrawLeaf(session, { scope: scopeOf(served) }),
    ),
}

/** From here on both domains are served. */
const site: Step<Replacement> = {
  name: 'workload-site',
  run: async (replacement) => {
    await store(replacement, { has_site: 1 })
    for (const route of await replacementsOf(replacement)) await expectRouters(replacement.deps, route)
    await buildEach(replacement, await servedByNew(replacement))
  },
  undo: async (replacement) => {
    await store(replacement, { has_site: 0 })
    await buildEach(replacement, await servedByNew(replacement))
  },
}

/** Named by the id of the replacement, so it meets nothing that is live. */
const routerCertificate: Step<Replacement> = {
  name: 'router-certificate',
  run: async (replacement) => ofEach(replacement, await replacementsOf(replacement), publishRouterLeaves),
  undo: async (replacement) => ofEach(replacement, await replacementsOf(replacement), withdrawRouterLeaves),
}

/** After the Nodes: a Router leads to what is served. */
const routerSite: Step<Replacement> = {
  name: 'router-site',
  run: async (replacement) => ofEach(replacement, await replacementsOf(replacement), serveOnRouters),
  undo: async (replacement) => ofEach(replacement, await replacementsOf(replacement), withdrawRouterSites),
}

const url: Step<Replacement> = {
  name: 'application-url',
  run: async (replacement) =>
    onEach(replacement, await servedByNew(replacement), (session, served) =>
      writeApplicationUrl(replacement.deps, session, served),
    ),
  undo: async (replacement) =>
    onEach(replacement, await servedByOld(replacement), (session, served) =>
      writeApplicationUrl(replacement.deps, session, served),
    ),
}

/** Last before the cutover: whoever hears the new name finds the site behind it. */
const name: Step<Replacement> = {
  name: 'private-dns',
  run: async (replacement) => {
    await store(replacement, { has_name: 1 })
    await replacement.deps.names.publish(replacement.call)
  },
  undo: async (replacement) => {
    await store(replacement, { has_name: 0 })
    await replacement.deps.names.publish(replacement.call)
  },
}

/** Both domains are open to the public until the cutover; undone as one (RTX-034). */
const edge: readonly Step<Replacement>[] = publishingSteps(edgeOfNew).map((step, at) =>
  at === 0 ? { ...step, undo: (replacement) => closeToPublic(edgeOfNew(replacement)) } : step,
)

/** In their order (RTX-033, RTX-034). The replaced Routes serve meanwhile as before. */
export const beforeCutover: readonly Step<Replacement>[] = [
  reserve,
  certificate,
  site,
  routerCertificate,
  routerSite,
  url,
  name,
  ...edge,
]

/** Without those of the public edge where every Route stays private. */
export const beforeCutoverOf = ({ changes }: Pick<Replacement, 'changes'>): readonly Step<Replacement>[] =>
  changes.some(({ publication }) => publication === 'public')
    ? beforeCutover
    : beforeCutover.filter((step) => !edge.includes(step))
