import type { Step } from '@fleet/steps'
import { forgotten } from '#/clusters/api.ts'
import { followDomainLater } from '#/processes/api.ts'
import {
  cutOverReplacements,
  finishReplacements,
  retireReplaced,
  storeCleanup,
} from '#/routes/steps/replacement/queries.ts'
import { withdrawRouterLeaves, withdrawRouterSites } from '#/routes/routers/serve.ts'
import { appLeaf, liveScope, stagingScope } from '#/routes/served.ts'
import { leaveSilentIngress } from '#/routes/edge/offline.ts'
import {
  buildEach,
  ofEach,
  onEach,
  replacedOf,
  type Replacement,
  replacementsOf,
  routeIdsOf,
  servedByNew,
} from '#/routes/steps/replacement/replacement.ts'

/** Renders name the live certificates from here on. */
export const CLEANUP = 'cleanup'

/** One transaction: the replacements are authoritative, the replaced ones are on their way out (RTX-027). */
export const cutover: Step<Replacement> = {
  name: 'cutover',
  commits: true,
  run: ({ deps, changes }) =>
    deps.store.transaction((tx) => cutOverReplacements(tx, routeIdsOf({ changes }))),
}

const isInCleanup = async (replacement: Replacement): Promise<boolean> =>
  (await replacementsOf(replacement)).every(({ replacement_step }) => replacement_step === CLEANUP)

const oldNames: Step<Replacement> = {
  name: 'withdraw-names',
  run: async (replacement) => {
    await retireReplaced(replacement.deps.store.db, routeIdsOf(replacement))
    await replacement.deps.names.publish(replacement.call)
  },
}

/** The old domains are served until no resolver returns them any more: once for all Routes of a change (RTX-043). */
const grace: Step<Replacement> = {
  name: 'grace',
  run: async (replacement) => {
    if (await isInCleanup(replacement)) return 'skipped'
    const { deps, call } = replacement
    await forgotten(deps, call)
    return undefined
  },
}

const certificate: Step<Replacement> = {
  name: 'live-certificate',
  run: async (replacement) =>
    onEach(replacement, await servedByNew(replacement), async (session, served) => {
      const leaf = appLeaf(served)
      const scope = served.route.web_root === null ? liveScope(served.instance.id) : leaf.scope
      await replacement.deps.certificates.publishLeaf(session, { ...leaf, scope, isLoadedLater: true })
    }),
}

const cleanup: Step<Replacement> = {
  name: CLEANUP,
  run: ({ deps, changes }) =>
    deps.store.transaction((tx) => storeCleanup(tx, routeIdsOf({ changes }), CLEANUP)),
}

const site: Step<Replacement> = {
  name: 'rebuild',
  run: async (replacement) => {
    // Nobody is led on from there: the ingress leads to Routers, which lose the old domain next.
    await leaveSilentIngress(replacement.deps, replacement.call, routeIdsOf(replacement))
    await ofEach(replacement, await replacedOf(replacement), withdrawRouterSites)
    await buildEach(replacement, await servedByNew(replacement))
  },
}

/** After the builds without them: what a live file names is never missing (RTX-095). */
const oldCertificates: Step<Replacement> = {
  name: 'old-certificates',
  run: async (replacement) => {
    await ofEach(replacement, await replacedOf(replacement), withdrawRouterLeaves)
    await onEach(replacement, await servedByNew(replacement), async (session, { route, instance }) => {
      if (route.web_root === null)
        await replacement.deps.certificates.withdrawLeaf(session, { scope: stagingScope(instance.id) })
    })
  },
}

/** The old domains may be taken again (RTX-028). */
const settle: Step<Replacement> = {
  name: 'activate',
  run: async (replacement) => {
    const { deps } = replacement
    const instanceIds = (await servedByNew(replacement)).map(({ instance }) => instance.id)
    await deps.store.transaction(async (tx) => {
      await finishReplacements(tx, routeIdsOf(replacement))
      await followDomainLater(deps, tx, instanceIds)
    })
  },
}

/** Only forward: whoever asks for the new domain is served from now on (RTX-028). */
export const afterCutover: readonly Step<Replacement>[] = [
  oldNames,
  grace,
  certificate,
  cleanup,
  site,
  oldCertificates,
  settle,
]
