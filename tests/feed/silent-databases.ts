import { instance, nothing, refused, type Scenario, publishes, unique } from './scenes.ts'

const password = 'a password that no feed may show'

/** `instance:database:add` and `:remove`. */
export const attachment =
  (work: 'add' | 'remove'): Scenario =>
  async (world) => {
    const { id } = await instance(world)
    const slug = unique('shop')
    const login = { driver: 'pgsql', host: 'db.internal', database: 'shop', username: 'shop', password }
    await world.fleet.ask('POST', '/api/v1/database-connections', { body: { slug, ...login } })
    const path = `/instances/${id}/database-connections/${slug}`
    const add = ['PUT', path, { body: { prefix: 'DB' } }] as const
    if (work === 'remove') {
      await world.fleet.ask('PUT', `/api/v1${path}`, { body: { prefix: 'DB' } })
      await publishes(world, ['DELETE', path], nothing)
      await refused(world, ['DELETE', path], 'database.attachment_missing')
      return
    }
    await publishes(world, add, nothing)
    await publishes(world, add, nothing)
    await refused(world, ['PUT', path, { body: { prefix: 'lower' } }], 'validation.failed')
  }

/** Servers need Docker, which no Node of this fleet has: what is refused publishes nothing. */
export const server =
  (work: 'create' | 'destroy'): Scenario =>
  async (world) => {
    const slug = unique('main')
    if (work === 'destroy')
      return refused(world, ['DELETE', `/database-servers/${slug}`], 'database.server_missing')
    await refused(world, ['POST', '/database-servers', { body: { slug, node_id: 99_999 } }], 'node.not_found')
  }

const SPECS = {
  process: { runtime: 'systemd', command: ['/bin/true'], restart_policy: 'always' },
  schedule: { calendar: 'daily', command: 'true', timeout_seconds: 60 },
}

/** `create`, `update` and `destroy` of the definitions of a Project, of either kind. */
export const definition =
  (kind: keyof typeof SPECS, work: 'create' | 'update' | 'destroy'): Scenario =>
  async (world) => {
    const path = `/projects/${await world.project()}/${kind}-definitions`
    const name = unique('queue')
    const body = { environments: ['production'], spec: SPECS[kind] }
    const create = ['POST', path, { body: { ...body, name } }] as const
    if (work !== 'create') await world.fleet.ask('POST', `/api/v1${path}`, { body: { ...body, name } })
    if (work === 'update') return void (await publishes(world, ['PUT', `${path}/${name}`, { body }], nothing))
    if (work === 'destroy') return void (await publishes(world, ['DELETE', `${path}/${name}`], nothing))
    await publishes(world, create, nothing)
    await publishes(world, create, nothing)
    const other = { ...body, name, environments: ['development'] }
    await refused(world, ['POST', path, { body: other }], 'project_definition.name_taken')
  }
