import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import type { InputOf } from '@fleet/contract'
import type { Row } from '@fleet/store'
import { addDatabase, addInstance, excludeNode, fakeCall } from '@fleet/testing'
import {
  create,
  createFor,
  createInstance,
  destroy,
  destroyInstance,
  startWorld,
} from '#/routes/world.test.ts'
import { refusalOf } from '@fleet/testing/instances-fleet'
import { progressOf, transfer, twoNodes } from '#/routes/move-world.test.ts'

test('an Instance with its Route moves to another Node, and the identical request answers it [INS-031, INS-090, INS-092, INS-094, GW-021, RTE-148]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  assert.equal(data.domain, 'shop.here')
  const moved = await transfer(world, { instance: data.id, node_id: other.id })
  assert.deepEqual(
    [moved.created, moved.data.id, moved.data.node_id, moved.data.domain, moved.data.route?.id],
    [true, data.id, other.id, 'shop.there', data.route?.id],
  )
  assert.deepEqual(
    [moved.data.route?.status, moved.data.status, moved.data.source_layout],
    ['active', 'active', 'checkout'],
  )
  assert.deepEqual(
    [
      moved.data.transfer?.status,
      moved.data.transfer?.cutover_completed,
      moved.data.transfer?.cleanup_completed,
      moved.data.transfer?.current_step,
      moved.data.transfer?.recovery_evidence,
    ],
    ['completed', true, true, null, null],
  )
  for (const same of [{}, { name: data.name }]) {
    const again = await transfer(world, { instance: data.id, node_id: other.id, ...same })
    assert.deepEqual([again.created, again.data], [false, moved.data])
  }
  const back = await transfer(world, { instance: data.id, node_id: data.node_id, name: 'renamed' })
  assert.deepEqual([back.data.name, back.data.domain], ['renamed', 'renamed.shop.here'])
})

test('the version of PHP is one that the next Node has, and is asked for before anything changes [INS-095, RTE-141]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { db } = world.store
  await createFor(world, data.id, { domain: 'same.example', web_root: 'public' })
  const admin = await createFor(world, data.id, ADMIN)
  const left = { phase: 'left', web_root: 'apps/old/public', php_version: '8.2' } as const
  await db.updateTable('routes').set({ web_root_change: left }).where('id', '=', admin.data.id).execute()
  world.done.length = 0
  world.broken.set('php', 'app-dev.php_version_unsupported')
  const request = { instance: data.id, node_id: other.id }
  await assert.rejects(transfer(world, request), { code: 'app-dev.php_version_unsupported' })
  assert.deepEqual(world.done, [`${other.name}: php there of .`])
  const row = await db.selectFrom('instances').select('transfer').where('id', '=', data.id).executeTakeFirst()
  assert.equal(row?.transfer, null)
  world.broken.clear()
  world.php = '8.4'
  const moved = await transfer(world, request)
  assert.equal(moved.data.transfer?.status, 'completed')
  const asked = world.done.filter((said) => said.includes('php there'))
  const each = [`${other.name}: php there of .`, `${other.name}: php there of apps/admin`]
  assert.deepEqual(asked.slice(1), [...each, ...each])
  assert.deepEqual(
    await db.selectFrom('routes').select(['php_version', 'web_root_change']).orderBy('id').execute(),
    [
      { php_version: '8.4', web_root_change: null },
      { php_version: '8.4', web_root_change: null },
      { php_version: '8.4', web_root_change: { ...left, php_version: null } },
    ],
  )
})

test('a version of PHP that went from the next Node meanwhile fails the transfer before the cutover, which puts all back [INS-095]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const route = () => world.store.db.selectFrom('routes').select(['php_version', 'status']).execute()
  const before = await route()
  const { push } = world.done
  world.done.push = (...said) => {
    // Its name goes after the transfer was accepted.
    if (said.includes('names none')) {
      world.broken.set('php', 'app-dev.php_version_unsupported')
      world.worksAfter = { what: 'php', times: 1, seen: () => undefined }
    }
    return push.apply(world.done, said)
  }
  await assert.rejects(transfer(world, { instance: data.id, node_id: other.id }), (error: unknown) => {
    const { status, failed_step, error_code, cutover_completed } = progressOf(error)
    assert.deepEqual(
      [status, failed_step, error_code, cutover_completed],
      ['rolled_back', 'cutover', 'app-dev.php_version_unsupported', false],
    )
    return true
  })
  assert.deepEqual(await route(), before)
})

test('each Route of an Instance that moved is published as soon as it has moved, and again when it is served, whatever fails then [EV-050, EV-079, EV-080]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const further = await createFor(world, data.id, ADMIN)
  const move = async (node_id: number, fails: boolean) => {
    // What waits for the end of the request is left out.
    const call = { ...fakeCall(), event: () => undefined }
    const moved = world.instances.handlers['instance:transfer']({
      call,
      input: { instance: data.id, node_id },
    })
    if (fails) await assert.rejects(moved)
    else await moved
    return call.events.map(({ type, data: route }) => [type, pick(route)])
  }
  const told = (domain: string, status: string) => [
    ['route.updated', { id: data.route?.id, domain, status }],
    ['route.updated', { id: further.data.id, domain: ADMIN.domain, status }],
  ]
  assert.deepEqual(await move(other.id, false), [
    ...told('shop.there', 'pending'),
    ...told('shop.there', 'active'),
  ])
  world.broken.set('leaf', 'certificate.publication_failed')
  assert.deepEqual(await move(data.node_id, true), told('shop.here', 'pending'))
})

const ADMIN = { domain: 'admin.example', web_root: 'apps/admin/public' }

const pick = (route: unknown) =>
  z.object({ id: z.number(), domain: z.string(), status: z.string() }).parse(route)

test('what cannot be transferred is refused before any change, each with its code [INS-091, INS-097, INS-098]', async () => {
  await using world = await startWorld()
  const { other, data, project } = await twoNodes(world)
  const { db } = world.store
  const refused = async (code: string, given: Partial<InputOf<'instance:transfer'>> = {}) =>
    assert.rejects(transfer(world, { instance: data.id, node_id: other.id, ...given }), {
      code,
      status: code === 'node.not_found' ? 404 : 409,
    })
  const during = async (
    values: Parameters<typeof change>[0],
    code: string,
    before: Parameters<typeof change>[0],
  ) => {
    await change(values)
    await refused(code)
    await change(before)
  }
  const change = (values: Partial<Row<'instances'>>) =>
    db.updateTable('instances').set(values).where('id', '=', data.id).execute()
  const onOther = (values: Partial<Row<'nodes'>>) =>
    db.updateTable('nodes').set(values).where('id', '=', other.id).execute()

  await refused('node.not_found', { node_id: 999 })
  await refused('instance.same_node', { node_id: data.node_id })
  await during({ environment: 'production' }, 'instance.production_refused', { environment: 'development' })
  await during({ status: 'removing' }, 'instance.removal_conflict', { status: 'active' })
  await during({ status: 'source_resolved' }, 'instance.lifecycle_conflict', { status: 'active' })
  await db.updateTable('routes').set({ status: 'pending' }).execute()
  const conflict = async () => {
    const { code, details } = await refusalOf(transfer(world, { instance: data.id, node_id: other.id }))
    return [code, details['reason']]
  }
  assert.deepEqual(await conflict(), ['instance.lifecycle_conflict', 'route_unsettled'])
  const route = await db.selectFrom('routes').selectAll().executeTakeFirstOrThrow()
  const targets = await db.selectFrom('route_targets').selectAll().execute()
  await db.deleteFrom('route_targets').execute()
  await db.deleteFrom('routes').execute()
  assert.deepEqual(await conflict(), ['instance.lifecycle_conflict', 'own_route_missing'])
  await db.insertInto('routes').values(route).execute()
  await db.insertInto('route_targets').values(targets).execute()
  await db.updateTable('routes').set({ status: 'active' }).execute()
  await createInstance(world, { project_id: project.id, name: 'second' })
  await refused('instance.identity_conflict', { name: 'second' })

  await onOther({ status: 'failed' })
  await refused('instance.node_inactive')
  const { cluster_id } = await db
    .selectFrom('nodes')
    .select('cluster_id')
    .where('id', '=', other.id)
    .executeTakeFirstOrThrow()
  await onOther({ status: 'active', cluster_id: null })
  await refused('instance.standalone_unsupported')
  await onOther({ cluster_id })
  await excludeNode(world.store, project, other)
  await refused('instance.node_excluded')
  await db.deleteFrom('node_exclusions').execute()
  await db.updateTable('node_roles').set({ status: 'failed' }).where('node_id', '=', other.id).execute()
  await refused('instance.node_not_app_dev')
  const asRole = (role: 'app-dev' | 'app-prod') =>
    db.updateTable('node_roles').set({ status: 'active', role }).where('node_id', '=', other.id).execute()
  await asRole('app-prod')
  await refused('instance.node_not_app_dev')
  await asRole('app-dev')

  const place = { project_id: project.id, node_id: other.id, name: 'third', status: 'active' } as const
  const taken = await addInstance(world.store, { ...place, checkout_path: data.checkout_path })
  await refused('instance.destination_exists')
  await db.deleteFrom('instances').where('id', '=', taken.id).execute()
  await create(world, { domain: 'shop.there' })
  await refused('route.domain_conflict')
  const row = await db.selectFrom('instances').selectAll().where('id', '=', data.id).executeTakeFirstOrThrow()
  assert.deepEqual([row.transfer, row.node_id], [null, data.node_id])
})

test('a transfer names the Node that is not in an active Cluster, be it the source or the destination, and its inactive Cluster [INS-097]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { db } = world.store
  const refused = (why: string, details: object) =>
    assert.rejects(transfer(world, { instance: data.id, node_id: other.id }), {
      code: 'instance.standalone_unsupported',
      message: `A transfer needs two Nodes that are members of active Clusters. ${why}`,
      details,
    })
  const clusterOf = async (node: { readonly id: number }) =>
    db
      .selectFrom('nodes')
      .innerJoin('clusters', 'clusters.id', 'nodes.cluster_id')
      .select(['clusters.id', 'clusters.name'])
      .where('nodes.id', '=', node.id)
      .executeTakeFirstOrThrow()
  const source = { id: world.node.id, name: world.node.name }
  const destination = { id: other.id, name: other.name }

  const there = await clusterOf(other)
  await db.updateTable('clusters').set({ state: 'inactive' }).where('id', '=', there.id).execute()
  await refused(`${there.name}, the Cluster of ${other.name}, is inactive.`, {
    node: destination,
    cluster: there,
    reason: 'cluster_inactive',
  })
  await db.updateTable('clusters').set({ state: 'active' }).where('id', '=', there.id).execute()

  const here = await clusterOf(source)
  await db.updateTable('routes').set({ cluster_id: null, node_id: source.id }).execute()
  await db.updateTable('clusters').set({ state: 'inactive' }).where('id', '=', here.id).execute()
  await refused(`${here.name}, the Cluster of ${source.name}, is inactive.`, {
    node: source,
    cluster: here,
    reason: 'cluster_inactive',
  })
  await db.updateTable('nodes').set({ cluster_id: null }).where('id', '=', source.id).execute()
  await refused(`${source.name} is not a member of a Cluster.`, { node: source })
})

test('an Instance without a web root is not advised to get a Route, which it cannot have [INS-097]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { db } = world.store
  await db.deleteFrom('route_targets').execute()
  await db.deleteFrom('routes').execute()
  await db.updateTable('instances').set({ root: '.' }).where('id', '=', data.id).execute()
  const { code, details } = await refusalOf(transfer(world, { instance: data.id, node_id: other.id }))
  assert.deepEqual(
    [code, details],
    ['instance.lifecycle_conflict', { reason: 'own_route_impossible', route_status: null }],
  )
})

test('an Instance that a Schedule has as its target stays where it is [INS-097, SCHD-022]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const refusedBy = async (names: readonly string[], message: string) => {
    world.schedules = names.map((name, at) => ({ id: `s${at + 7}`, name }))
    await assert.rejects(transfer(world, { instance: data.id, node_id: other.id }), {
      code: 'schedule.target_in_use',
      status: 409,
      message,
      details: { schedules: world.schedules },
    })
  }
  await refusedBy(
    ['nightly'],
    'The Schedule `nightly` targets this Instance. Destroy it first (`fleet schedule:destroy s7`).',
  )
  await refusedBy(
    ['nightly', 'hourly'],
    'The Schedules `nightly`, `hourly` target this Instance. Destroy them first (`fleet schedule:destroy SCHEDULE`).',
  )
})

test('a failure after the cutover leaves the transfer open, which owns the Routes and is only resumed [INS-096, RTE-173]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const request = { instance: data.id, node_id: other.id }
  world.broken.set('access', 'node.command_failed')
  await assert.rejects(transfer(world, request), (error: unknown) => {
    const progress = progressOf(error)
    assert.deepEqual(
      [progress.status, progress.failed_step, progress.error_code, progress.cutover_completed],
      ['failed', 'route_publication', 'node.command_failed', true],
    )
    assert.deepEqual(progress.recovery_evidence, {
      rollback_pending: false,
      sqlite_source_path: null,
      incomplete: ['route_publication', 'runtime_start', 'source_cleanup'],
    })
    return true
  })
  await assert.rejects(transfer(world, { ...request, node_id: data.node_id }), {
    code: 'instance.transfer_retry_conflict',
  })
  const open = { code: 'instance.transfer_incomplete' }
  await assert.rejects(destroyInstance(world, data.id, { force: true }), open)
  await assert.rejects(destroy(world, data.route?.id ?? 0), open)
  world.broken.clear()
  const { data: moved } = await transfer(world, request)
  assert.deepEqual(
    [moved.node_id, moved.route?.status, moved.transfer?.status],
    [other.id, 'active', 'completed'],
  )
})

test('a failure before the cutover puts the Instance back and closes the transfer', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  world.broken.set('name', 'node.command_failed')
  world.worksAfter = { what: 'name', times: 1, seen: () => undefined }
  await assert.rejects(transfer(world, { instance: data.id, node_id: other.id }), {
    code: 'instance.transfer_failed',
  })
  const { data: shown } = await world.instances.handlers['instance:show']({
    call: fakeCall(),
    input: { instance: data.id },
  })
  assert.deepEqual([shown.node_id, shown.domain, shown.route?.status], [data.node_id, 'shop.here', 'active'])
  assert.deepEqual([shown.transfer?.status, shown.transfer?.recovery_evidence], ['rolled_back', null])
  const { data: moved } = await transfer(world, { instance: data.id, node_id: other.id })
  assert.equal(moved.node_id, other.id)
})

test('SQLite records of files in the checkout, and stored values that are paths in it, name the new place; all other values stay [INS-092, ENV-070]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { db } = world.store
  const path = `${data.checkout_path}/database/app.sqlite`
  const elsewhere = `${data.checkout_path}-other/app.sqlite`
  for (const [slug, file] of [
    ['app', path],
    ['other', elsewhere],
  ] as const)
    await addDatabase(world.store, {
      slug,
      driver: 'sqlite',
      node_id: data.node_id,
      path: file,
      host: null,
      port: null,
    })
  const values = { DB_DATABASE: path, HOME_PATH: data.checkout_path, OTHER: elsewhere, NAME: `see ${path}` }
  const call = fakeCall()
  await world.environment.replace(call, data, async () => ({
    set: new Map(Object.entries(values)),
    removed: [],
  }))
  const { data: moved } = await transfer(world, { instance: data.id, node_id: other.id, name: 'renamed' })
  const next = `${moved.checkout_path}/database/app.sqlite`
  assert.notEqual(next, path)
  assert.deepEqual(Object.fromEntries(await world.environment.stored(data.id)), {
    ...values,
    DB_DATABASE: next,
    HOME_PATH: moved.checkout_path,
  })
  const rows = await db
    .selectFrom('database_connections')
    .select(['slug', 'node_id', 'path'])
    .orderBy('slug')
    .execute()
  assert.deepEqual(rows, [
    { slug: 'app', node_id: other.id, path: next },
    { slug: 'other', node_id: data.node_id, path: elsewhere },
  ])
})

test('a public Route with a web root keeps its Instance in the Cluster [RTE-149]', async () => {
  await using world = await startWorld()
  const { other, data } = await twoNodes(world)
  const { data: site } = await createFor(world, data.id, { domain: 'site.example', web_root: 'public/site' })
  const publish = (publication: 'private' | 'public') =>
    world.store.db.updateTable('routes').set({ publication }).where('id', '=', site.id).execute()
  await publish('public')
  await assert.rejects(transfer(world, { instance: data.id, node_id: other.id }), {
    code: 'instance.lifecycle_conflict',
    message: /^The Route site\.example is public: /,
    details: { reason: 'route_public', route_id: site.id, publication: 'public' },
  })
  await publish('private')
  assert.equal((await transfer(world, { instance: data.id, node_id: other.id })).data.node_id, other.id)
})
