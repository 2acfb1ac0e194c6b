import type { ErrorCode } from '@fleet/contract'
import type { Row } from '@fleet/store'
import { makeProductionSource } from '#/routes/production/services.ts'
import { addProduction, deployed } from '#/routes/production/world.test.ts'
import { findRoute } from '#/routes/queries.ts'
import { addApp, createFor, createInstance, type Trouble, type World } from '#/routes/world.test.ts'

export const ADMIN = 'apps/admin/public'
export const BLOG = 'apps/blog/public'
export const CHECKOUT = '/home/fleet/apps/shop/default'
export const RELEASE = `/home/shop-live/releases/${deployed.selected_release}`
export const CODE: ErrorCode = 'certificate.publication_failed'

/** A Route that serves `apps/admin/public` of an Instance, and that Instance. */
export interface Admin {
  readonly instance: number
  readonly route: number
}

/** Of a development Instance with a Route of its own. */
export async function admin(world: World): Promise<Admin> {
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  return served(world, data.id, ADMIN)
}

/** Of a development Instance of a `monorepo`, which needs no Route of its own. */
export async function monorepo(world: World, webRoot: string | null = ADMIN): Promise<Admin> {
  const project = await addApp(world, { type: 'monorepo', root: 'web' })
  const { data } = await createInstance(world, { project_id: project.id })
  return served(world, data.id, webRoot)
}

/** Of a production Instance with a Route of its own. */
export async function production(world: World): Promise<Admin> {
  const { id } = await addProduction(world, deployed)
  await createFor(world, id, { domain: 'shop.example' })
  return served(world, id, ADMIN)
}

async function served(world: World, instance: number, web_root: string | null): Promise<Admin> {
  const { data } = await createFor(world, instance, { web_root })
  world.done.length = 0
  world.builds.length = 0
  return { instance, route: data.id }
}

/** What a visitor and the machine have of it. */
export const machineOf = ({ machine, names }: World) => ({
  sites: Object.fromEntries(machine.sites),
  leaves: Object.fromEntries(machine.leaves),
  pools: [...machine.pools].toSorted(),
  opened: Object.fromEntries(machine.opened),
  names: [...names],
})

/** Directories that the PHP service of the production Instances of the Node is to have besides the default one. */
export const servicesOf = async (world: World): Promise<readonly string[]> =>
  (await makeProductionSource(world).servicesOn(world.node)).flatMap(
    ({ otherDirectories }) => otherDirectories,
  )

export async function storedOf(world: World, id: number) {
  const route = await findRoute(world.store.db, id)
  return (
    route && {
      root: route.web_root,
      change: route.web_root_change,
      php: route.php_version,
      failure: [route.status, route.failed_step, route.error_code],
    }
  )
}

/** Work of this kind fails until it did so often. */
export function failing(world: World, what: Trouble, times = Infinity): void {
  world.broken.set(what, CODE)
  world.worksAfter = times === Infinity ? undefined : { what, times, seen: () => undefined }
}

export const updateInstance = async (
  { store }: World,
  id: number,
  values: Partial<Row<'instances'>>,
): Promise<void> => void (await store.db.updateTable('instances').set(values).where('id', '=', id).execute())
