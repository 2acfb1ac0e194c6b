import type { ProductionService, ProductionSource } from '#/php/api.ts'
import { productionRows } from '#/routes/production/queries.ts'
import { type ServedRow, servedRows } from '#/routes/served/queries.ts'
import { directoryOf, rootsOf } from '#/routes/served.ts'
import type { RoutesDeps } from '#/routes/deps.ts'

/** Every production Instance with PHP has a service, with a pool for each further directory that a Route serves (RTE-153). */
export const makeProductionSource = ({ store: { db } }: Pick<RoutesDeps, 'store'>): ProductionSource => ({
  servicesOn: async ({ id }) => {
    const rows = await productionRows(db, id)
    if (rows.length === 0) return []
    const served = Map.groupBy(
      await servedRows(db, { nodeId: id, isMoving: true }),
      ({ instance }) => instance.id,
    )
    return rows.flatMap((row) => serviceOf(row, served.get(row.id) ?? []) ?? [])
  },
})

type ProductionRow = Awaited<ReturnType<typeof productionRows>>[number]

function serviceOf(row: ProductionRow, served: readonly ServedRow[]): ProductionService | undefined {
  const { profile, production_user: user, production_home: home } = row
  if (profile?.php_version === undefined || user === null || home === null) return undefined
  return {
    instance: { id: row.id, name: row.name },
    user,
    home,
    version: profile.php_version,
    defaultDirectory: profile.application_directory,
    otherDirectories: served
      .filter(({ route }) => route.has_source === 1)
      .flatMap(rootsOf)
      .map(directoryOf),
    isDeployed: row.selected_release !== null,
  }
}
