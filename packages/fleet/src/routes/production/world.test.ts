import type { NewRow, Row } from '@fleet/store'
import { addInstance } from '@fleet/testing'
import { addApp, type World } from '#/routes/world.test.ts'

/** What a deployment leaves in the record of an Instance. */
export const deployed = { selected_release: '20261123-1' } as const

/** A production Instance of an application with PHP on the Node of the world. */
export async function addProduction(
  world: World,
  given: Partial<NewRow<'instances'>> = {},
  project: Parameters<typeof addApp>[1] = {},
): Promise<Row<'instances'>> {
  const { id: project_id } = await addApp(world, project)
  return addInstance(world.store, {
    project_id,
    node_id: world.node.id,
    name: 'live',
    environment: 'production',
    status: 'active',
    production_user: 'shop-live',
    production_home: '/home/shop-live',
    checkout_path: '/home/shop-live/releases/initial',
    profile: { application_directory: '', framework: 'laravel', php: true, php_version: '8.2' },
    ...given,
  })
}
