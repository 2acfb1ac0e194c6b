import { Refusal } from '@fleet/kernel'
import type { Step } from '@fleet/steps'
import type { ProjectCheckout } from '#/instances/api.ts'
import { ofEach, undoEach } from '#/project-updates/each.ts'
import { followersOf, type ProjectUpdate } from '#/project-updates/update.ts'
import type { SlugChange } from '#/routes/api.ts'

const planned = ({ deps, stored: { record }, after }: ProjectUpdate): Promise<readonly SlugChange[]> =>
  deps.routes.plan(record.project_id, after.slug)

/** The next domains are served beside those of now, which are in effect until the values are published (RTE-040). */
export const domains: Step<ProjectUpdate> = {
  name: 'domains',
  run: async (update) => {
    const changes = await planned(update)
    if (changes.length === 0) return 'skipped'
    await update.deps.routes.prepare(update.call, changes)
    return undefined
  },
  undo: ({ deps, call, stored }) => deps.routes.withdraw(call, stored.record.project_id),
}

/** Each `.env` follows before its domain is cut over (ENV-065, ENV-066). */
export const environments: Step<ProjectUpdate> = {
  name: 'environments',
  run: async (update) => {
    const next = new Map((await planned(update)).map((change) => [change.instanceId, change.domain]))
    await ofEach(update, 'environments', await followersOf(update), (of) => synchronize(update, of, next))
  },
  undo: async (update) => {
    const { deps, before } = update
    await undoEach(await followersOf(update), async (of) => {
      // Before the cutover the Route of now is the one that is replaced.
      const { domain } = await deps.checkouts.present(of, before)
      await synchronizeBack(update, of, new Map(domain === null ? [] : [[of.row.id, domain]]))
    })
  },
}

/** A refused file was not written on the way there either, or somebody has changed it since then. */
async function synchronizeBack(...given: Parameters<typeof synchronize>): Promise<void> {
  try {
    await synchronize(...given)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const [{ call }, { row }] = given
    call.log('an environment was not synchronized back', { instance: row.name, code: error.code })
  }
}

export async function synchronize(
  { deps: { environment }, call, evidence }: ProjectUpdate,
  { row }: ProjectCheckout,
  domainOf: ReadonlyMap<number, string> = new Map(),
): Promise<void> {
  const common = { instance_id: row.id }
  if (!(await environment.isStored(row.id))) {
    evidence.set(row.id, { ...common, environment: 'skipped', reason: 'env.configuration_missing' })
    return
  }
  const domain = domainOf.get(row.id)
  if (domain === undefined) await environment.synchronizeHeld(call, row.id)
  else await environment.synchronizeUnder(call, row.id, domain)
  evidence.set(row.id, { ...common, environment: 'synchronized' })
}

/** All at once, with one wait for the old names (RTE-040). */
export const routes: Step<ProjectUpdate> = {
  name: 'routes',
  run: async (update) => {
    const changes = await planned(update)
    if (changes.length === 0) return 'skipped'
    await update.deps.routes.replace(update.call, changes)
    return undefined
  },
}
