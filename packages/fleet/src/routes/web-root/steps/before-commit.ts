import type { Step } from '@fleet/steps'
import { updateRoute } from '#/routes/queries.ts'
import { appLeaf, directoryOf, scopeOf } from '#/routes/served.ts'
import { access as readable, runDirectory, servedNow, versionFor } from '#/routes/steps/publication.ts'
import {
  build,
  otherNow,
  sessionOf,
  storeChange,
  type WebRootUpdate,
} from '#/routes/web-root/steps/update.ts'
import { withdrawal } from '#/routes/web-root/steps/withdrawal.ts'

/** Before anything is done: what the Node gets follows from the record, and so does what is undone. */
const reserve: Step<WebRootUpdate> = {
  name: 'reserve',
  run: ({ deps, routeId, webRoot }) =>
    updateRoute(deps.store.db, routeId, {
      web_root_change: { phase: 'wanted', web_root: webRoot, php_version: null },
      failed_step: null,
      error_code: null,
    }),
  undo: async (update) => {
    for (const step of withdrawal) await step.run(update)
  },
}

/** First, because it finds a web root that is missing or has a link. */
const access: Step<WebRootUpdate> = {
  name: 'source-access',
  run: (update) => readable.run({ ...update, session: sessionOf(update) }),
}

const runtime: Step<WebRootUpdate> = {
  name: 'php',
  run: async (update) => {
    const { deps } = update
    const session = sessionOf(update)
    const [served, other] = [await servedNow(update), await otherNow(update)]
    if (!other) throw new Error(`the Route ${update.routeId} gets no other web root`)
    const { web_root } = other.route
    // What is recorded is that of the present directory.
    const recorded = directoryOf(other) === directoryOf(served) ? served.route.php_version : null
    const wanted = { ...other, route: { ...other.route, php_version: recorded } }
    const php_version = await versionFor(deps, session, wanted)
    await storeChange(update, { phase: 'wanted', web_root, php_version })
    await runDirectory(deps, session, { ...other, route: { ...other.route, php_version } })
  },
}

/** That of the Instance and that of a Route with a web root are two (RTE-140). */
const certificate: Step<WebRootUpdate> = {
  name: 'certificate',
  run: async (update) => {
    const [served, other] = [await servedNow(update), await otherNow(update)]
    if (!other || scopeOf(other) === scopeOf(served)) return 'skipped'
    await update.deps.certificates.publishLeaf(sessionOf(update), { ...appLeaf(other), isLoadedLater: true })
    return undefined
  },
}

/** Stored and served as one: a site that is refused leaves the Route as it was. */
export const commit: Step<WebRootUpdate> = {
  name: 'caddy',
  commits: true,
  run: async (update) => {
    await swap(update, { from: 'wanted', to: 'left' })
    await build(update)
  },
  undo: async (update) => {
    await swap(update, { from: 'left', to: 'wanted' })
    await build(update)
  },
}

/** The web root and the other one change places. */
async function swap(
  update: WebRootUpdate,
  { from, to }: Readonly<Record<'from' | 'to', 'wanted' | 'left'>>,
): Promise<void> {
  const { route } = await servedNow(update)
  const { web_root, php_version, web_root_change: other } = route
  if (other?.phase !== from) return
  await updateRoute(update.deps.store.db, route.id, {
    web_root: other.web_root,
    php_version: other.php_version,
    web_root_change: { phase: to, web_root, php_version },
  })
}

/** Visitors notice none of it, and all of it can be undone. */
export const beforeCommit: readonly Step<WebRootUpdate>[] = [reserve, access, runtime, certificate]
