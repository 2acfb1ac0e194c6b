import assert from 'node:assert/strict'
import {
  addNode,
  addProject,
  fakeCall,
  forEachDialect,
  startClustersFleet,
  startEnrolmentFleet,
  startNodesFleet,
} from '@fleet/testing'
import { CALLERS, codeOf, LOCKED_ROUNDS, type Made, MIXED_ROUNDS, namesOf, raceOf } from '@fleet/testing/race'

/** Where an answer says that something existed before. */
const added = ({ data }: { readonly data: { readonly already_exists: boolean } }): Made => ({
  created: !data.already_exists,
  data: { ...data, already_exists: true },
})

raceOf(
  'a Cluster',
  async (dialect) => {
    const fleet = await startClustersFleet(dialect)
    const create = fleet.clusters.handlers['cluster:create']
    return {
      ...fleet,
      create: (round) => create({ call: fakeCall(), input: { name: `c${round}`, tld: `t${round}` } }),
    }
  },
  { rows: '[CLU-004]' },
)

raceOf(
  'a Project',
  async (dialect) => {
    const fleet = await startNodesFleet(dialect)
    const create = fleet.projects.handlers['project:create']
    return {
      ...fleet,
      create: (round) => {
        const repository_url = `https://git.example.com/acme/shop-${round}.git`
        fleet.git.remotes.set(repository_url, ['main'])
        const input = { slug: `shop-${round}`, type: 'node-package', repository_url, root: '.' } as const
        return create({ call: fakeCall(), input })
      },
    }
  },
  { rows: '[PRJ-028]' },
)

raceOf(
  'a lifecycle step',
  async (dialect) => {
    const fleet = await startNodesFleet(dialect)
    const projects = await Promise.all(
      Array.from({ length: 200 }, (_, index) => addProject(fleet.store, { slug: `p-${index}` })),
    )
    const { handlers } = fleet.projects
    return {
      ...fleet,
      create: (round) => {
        const list = round % 2 === 0 ? 'setup' : 'teardown'
        const input = { project: projects[round]?.id ?? 0, name: 'build', command: 'make' }
        return handlers[`project:${list}-step:create`]({ call: fakeCall(), input })
      },
    }
  },
  { rows: '[PRJ-058]', rounds: LOCKED_ROUNDS },
)

raceOf(
  'a grant',
  async (dialect) => {
    const fleet = await startNodesFleet(dialect)
    const nodes = await Promise.all(Array.from({ length: 15 }, () => addNode(fleet.store)))
    const pairs = nodes.flatMap(({ id: serving }) =>
      nodes.flatMap(({ id: consumer }) => (serving === consumer ? [] : [{ serving, consumer }])),
    )
    const add = fleet.nodes.handlers['node:access:add']
    return {
      ...fleet,
      create: async (round) =>
        added(await add({ call: fakeCall(), input: pairs[round] ?? { serving: 0, consumer: 0 } })),
    }
  },
  { rows: '[GRANT-005]' },
)

raceOf('an exclusion, from either side,', async (dialect) => {
  const fleet = await startNodesFleet(dialect)
  const { id: node } = await addNode(fleet.store, { roles: ['app-dev'] })
  const projects = await Promise.all(
    Array.from({ length: 200 }, (_, index) => addProject(fleet.store, { slug: `p-${index}` })),
  )
  let asked = 0
  return {
    ...fleet,
    create: async (round) => {
      const project = projects[round]?.id ?? 0
      const call = fakeCall()
      asked += 1
      return added(
        asked % 2 === 0
          ? await fleet.nodes.handlers['node:excluded-project:add']({ call, input: { node, project } })
          : await fleet.projects.handlers['project:excluded-node:add']({ call, input: { node, project } }),
      )
    },
  }
})

raceOf(
  'a role',
  async (dialect) => {
    const fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const nodes = await Promise.all(Array.from({ length: 200 }, () => addNode(fleet.store, { roles: [] })))
    const add = fleet.nodes.handlers['node:role:add']
    return {
      ...fleet,
      create: (round) => add({ call: fakeCall(), input: { node: nodes[round]?.id ?? 0, role: 'database' } }),
    }
  },
  { rows: '[ROLE-016]', rounds: LOCKED_ROUNDS },
)

raceOf(
  'a Node',
  async (dialect) => {
    const fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const add = fleet.nodes.handlers['node:add']
    return {
      ...fleet,
      create: (round) =>
        add({
          call: fakeCall({ operation: 'node:add' }),
          input: {
            name: `web-${round}`,
            public_ssh_host: `192.0.2.${round}`,
            host_key_fingerprint: `SHA256:${'A'.repeat(43)}`,
          },
        }),
    }
  },
  { busy: 'node.provisioning_busy', rounds: LOCKED_ROUNDS, rows: '[NODE-026]' },
)

forEachDialect('different Nodes enrolled at one moment have different addresses', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  for (let round = 0; round < MIXED_ROUNDS; round += 1)
    await Promise.all(
      namesOf(round).map((name, index) =>
        fleet.enroll({ name, public_ssh_host: `192.0.2.${1 + round * CALLERS + index}` }),
      ),
    )
  const rows = await fleet.store.db.selectFrom('nodes').select('wireguard_ip').execute()
  assert.equal(new Set(rows.map((row) => row.wireguard_ip)).size, MIXED_ROUNDS * CALLERS + 1)
})

forEachDialect('different steps created at one moment have one order', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const create = fleet.projects.handlers['project:setup-step:create']
  for (let round = 0; round < MIXED_ROUNDS; round += 1) {
    const { id: project } = await addProject(fleet.store, { slug: `p-${round}` })
    await Promise.all(
      namesOf(round).map((name) =>
        create({ call: fakeCall(), input: { project, name, command: 'make', timeout_seconds: 10 } }),
      ),
    )
    const rows = await fleet.store.db
      .selectFrom('project_steps')
      .select('position')
      .where('project_id', '=', project)
      .orderBy('position')
      .execute()
    assert.deepEqual(
      rows.map(({ position }) => position),
      [1, 2, 3, 4, 5, 6, 7, 8],
    )
  }
})

forEachDialect(
  'of two Clusters that want one TLD at one moment one gets it, and the refusal of the other names the owner',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const create = fleet.clusters.handlers['cluster:create']
    for (let round = 0; round < MIXED_ROUNDS; round += 1) {
      const all = await Promise.allSettled(
        namesOf(round).map((name) => create({ call: fakeCall(), input: { name, tld: `t${round}` } })),
      )
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const one of all)
        if (one.status === 'rejected') assert.equal(codeOf(one.reason), 'cluster.tld_conflict')
    }
  },
)
