import assert from 'node:assert/strict'
import { addInstance, addNode, addProject, forEachDialect, openTestStore } from '@fleet/testing'
import {
  countRoutesOn,
  deleteRoute,
  findByDomain,
  findRoute,
  insertRoute,
  residuesOn,
  routesWhere,
  updateRoute,
} from '#/routes/queries.ts'

const ROUTE = {
  kind: 'custom_proxy',
  provenance: 'explicit',
  publication: 'private',
  status: 'activating',
  upstream: 'http://127.0.0.1:8025',
  created_at: '2026-03-01T00:00:00.000Z',
} as const

forEachDialect(
  'a domain belongs to one Route; its targets come in order, and its removal and what it leaves are one [RTE-011, RTE-022, RTE-177]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const { db } = store
    const node = await addNode(store)
    const first = await insertRoute(db, { ...ROUTE, node_id: node.id, domain: 'mail.internal' })
    assert.ok(first)
    assert.equal(await insertRoute(db, { ...ROUTE, node_id: node.id, domain: 'mail.internal' }), undefined)
    const second = await insertRoute(db, { ...ROUTE, node_id: node.id, domain: 'other.internal' })
    assert.ok(second)
    await updateRoute(db, first.id, { status: 'active', has_site: 1 })
    assert.deepEqual(await findByDomain(db, 'mail.internal'), { ...first, status: 'active', has_site: 1 })
    assert.deepEqual(
      (await routesWhere(db, { node_id: node.id })).map(({ id }) => id),
      [first.id, second.id],
    )

    const project = await addProject(store)
    const place = { project_id: project.id, node_id: node.id }
    const [one, two] = [await addInstance(store, place), await addInstance(store, place)]
    for (const [instance_id, position] of [
      [two.id, 2],
      [one.id, 1],
    ] as const)
      await db.insertInto('route_targets').values({ route_id: first.id, instance_id, position }).execute()
    const targets = (await findRoute(db, first.id))?.targets ?? []
    assert.deepEqual(
      targets.map(({ instance_id, position }) => [instance_id, position]),
      [
        [one.id, 1],
        [two.id, 2],
      ],
    )
    assert.deepEqual((await findRoute(db, second.id))?.targets, [])

    const residue = {
      node_id: node.id,
      route_id: first.id,
      domain: first.domain,
      created_at: first.created_at,
    }
    await deleteRoute(store, first.id, [{ ...residue, retained_steps: ['caddy', 'certificate'] }])
    assert.equal(await findRoute(db, first.id), undefined)
    const [left] = await residuesOn(db, node.id)
    assert.deepEqual([left?.retained_steps, left?.attempts], [['caddy', 'certificate'], 0])
    assert.equal(await countRoutesOn(db, node.id), 1)
    const basis = await addNode(store)
    await updateRoute(db, second.id, { generation_basis_node_id: basis.id })
    assert.equal(await countRoutesOn(db, basis.id), 1)
    await updateRoute(db, second.id, { generation_basis_node_id: null })
    // A residue that cannot be stored keeps the Route.
    await assert.rejects(deleteRoute(store, second.id, [{ ...residue, node_id: 999, retained_steps: [] }]))
    assert.ok(await findRoute(db, second.id))
  },
)

forEachDialect('a Route has one scope: a Node or a Cluster [RTE-009]', async (dialect) => {
  await using store = await openTestStore({ dialect })
  await assert.rejects(insertRoute(store.db, { ...ROUTE, domain: 'nowhere.internal' }))
})
