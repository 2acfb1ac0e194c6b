import type { Step } from '@fleet/steps'
import { isProductionRow } from '#/routes/production/place.ts'
import { updateRoute } from '#/routes/queries.ts'
import { scopeOf } from '#/routes/served.ts'
import { access as readable, servedNow } from '#/routes/steps/publication.ts'
import { withdrawLeaf } from '#/routes/steps/withdrawal.ts'
import { otherNow, sessionOf, storeChange, type WebRootUpdate } from '#/routes/web-root/steps/update.ts'

/** From here on the Node is to have nothing of the other web root. */
const leave: Step<WebRootUpdate> = {
  name: 'leave',
  run: async (update) => {
    const { web_root_change: other } = (await servedNow(update)).route
    if (other) await storeChange(update, { ...other, phase: 'leaving' })
  },
}

/** The pool stays while another Route serves its directory (RTE-143). */
const runtime: Step<WebRootUpdate> = {
  name: 'old-php',
  run: async (update) => {
    const other = await otherNow(update)
    const { php } = update.deps
    if (!other) return 'skipped'
    if (isProductionRow(other.instance))
      await php.production.convergeFound(sessionOf(update), other.instance.id)
    else if (other.route.php_version === null) return 'skipped'
    else await php.converge(sessionOf(update))
    return undefined
  },
}

const access: Step<WebRootUpdate> = {
  name: 'old-source-access',
  run: async (update) => {
    if (!(await otherNow(update))) return 'skipped'
    return readable.run({ ...update, session: sessionOf(update) })
  },
}

/** After the build without it: what a live file names is never missing (RTX-095). */
const certificate: Step<WebRootUpdate> = {
  name: 'old-certificate',
  run: async (update) => {
    const [served, other] = [await servedNow(update), await otherNow(update)]
    if (!other || scopeOf(other) === scopeOf(served)) return 'skipped'
    await withdrawLeaf(update.deps, sessionOf(update), other)
    return undefined
  },
}

const settle: Step<WebRootUpdate> = {
  name: 'settle',
  run: ({ deps, routeId }) =>
    updateRoute(deps.store.db, routeId, { web_root_change: null, failed_step: null, error_code: null }),
}

/** The other web root goes from its Node, and its record last: one that came and one that never did. */
export const withdrawal: readonly Step<WebRootUpdate>[] = [leave, runtime, access, certificate, settle]
