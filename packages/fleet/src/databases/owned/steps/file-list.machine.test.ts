import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { systemClock, systemIds } from '@fleet/kernel'
import { testStepList } from '@fleet/steps/testing'
import { fakeDatabases } from '@fleet/testing'
import { startWithFile } from '#/databases/creations/file-world.test.ts'
import type { CreationWorld } from '#/databases/creations/world.test.ts'
import { connectionById } from '#/databases/owned/queries.ts'
import { RESERVED } from '#/databases/owned/pending.ts'
import { type FileCreation, fileCreation, fileCreationLog } from '#/databases/owned/steps/file-creation.ts'
import { insertConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'

type World = FileCreation & { readonly world: CreationWorld; readonly file: string }

/** Opened once. An attempt takes an Instance that no other one has, and leaves it as it was. */
let opened: ReturnType<typeof startWithFile> | undefined
const free: { readonly id: number; readonly name: string }[] = []
let count = 0
after(async () => (await opened)?.world[Symbol.asyncDispose]())

async function reserved(
  { fleet }: CreationWorld,
  owner: number,
  { slug, path }: { readonly slug: string; readonly path: string },
): Promise<ConnectionRecord> {
  const record = await insertConnection(fleet.store.db, {
    slug,
    driver: 'sqlite',
    node_id: fleet.node.id,
    path,
    owner_instance_id: owner,
    test_database: ':memory:',
    pending_step: RESERVED,
    created_at: '2026-01-01T00:00:00.000Z',
  })
  if (!record) throw new Error('the record of the test exists')
  return record
}

async function fresh(): Promise<World> {
  const { world, file } = await (opened ??= startWithFile())
  const { id, name } = free.pop() ?? (await another(world))
  const { nodes, instances, environment } = world.domains
  const deps = {
    store: world.fleet.store,
    clock: systemClock,
    ids: systemIds,
    nodes: nodes.nodes,
    instances: instances.instances,
    environment,
    containers: world.domains.processes.servers,
    dependents: world.domains.processes.dependents,
    engines: { access: fakeDatabases() },
  }
  const instance = await deps.instances.find(id)
  if (!instance) throw new Error('the Instance of the test is gone')
  const record = await reserved(world, id, { slug: `app-${name}`, path: file(name) })
  const { apps, node } = world.fleet
  const copyOf = { nodeId: node.id, checkout: join(apps, 'app', 'default'), path: 'data/shop.sqlite' }
  return { world, deps, call: world.call(), instance, record, copyOf, file: file(name) }
}

async function another(world: CreationWorld) {
  count += 1
  const name = `f${count}`
  return { id: (await world.create({ name })).id, name }
}

async function leave({ world, instance: { id, name }, file }: World): Promise<void> {
  const { db } = world.fleet.store
  await db.deleteFrom('database_attachments').where('instance_id', '=', id).execute()
  await db.deleteFrom('database_connections').where('owner_instance_id', '=', id).execute()
  await db.deleteFrom('environment_values').where('instance_id', '=', id).execute()
  rmSync(join(file, '..'), { recursive: true, force: true })
  free.push({ id, name })
}

/** What is not the progress of the list: a record that is to be undone is gone only after its last step. */
const view = async ({ world, instance, file }: World): Promise<unknown> => {
  const { db } = world.fleet.store
  const rows = await db
    .selectFrom('database_connections')
    .select('pending_step')
    .where('owner_instance_id', '=', instance.id)
    .execute()
  const attached = await db
    .selectFrom('database_attachments')
    .select('prefix')
    .where('instance_id', '=', instance.id)
    .execute()
  return [
    rows.filter((row) => row.pending_step === null),
    ['', '-wal', '.fleet-copy'].filter((end) => existsSync(`${file}${end}`)),
    [...(await world.domains.environment.stored(instance.id)).keys()],
    attached,
  ]
}

testStepList<World>('owned-file-creation', {
  list: fileCreation,
  fresh,
  view,
  log: fileCreationLog,
  // Undone to its record, it is a new request.
  again: async (context) => {
    const record = await connectionById(context.deps.store.db, context.record.id)
    if (record) return record.pending_step === null ? undefined : { ...context, record }
    const { slug } = context.record
    return {
      ...context,
      record: await reserved(context.world, context.instance.id, { slug, path: context.file }),
    }
  },
  close: leave,
})
