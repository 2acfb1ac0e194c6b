import assert from 'node:assert/strict'
import { isErrorCode } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { DialectName } from '@fleet/store'
import {
  addGatewayNode,
  addNode,
  addProject,
  fakeCall,
  forEachDialect,
  startClustersFleet,
  startEnrolmentFleet,
  startNodesFleet,
  testDomains,
} from '@fleet/testing'
import { sampleShare } from '@fleet/testing/sample'
import { EMPTY_RULES, EMPTY_RULES6, startFirewallWorld } from '#/firewall/world.test.ts'
import { checkoutPool } from '#/instances/steps/attempts.test.ts'

const ROUNDS = 200
/** Of what takes its turns under a lock, which costs more: all of them in a whole run. */
const LOCKED_ROUNDS = ROUNDS / sampleShare(8)
const CALLERS = 8

interface Made {
  readonly created?: boolean | undefined
  readonly data: unknown
}

interface Racing {
  readonly rounds?: number
  readonly busy?: string
}

/**
 * Each round's callers ask for the same at one moment: one creates it and the others find it. A family that refuses a
 * second caller at once may do so, with its own code and nothing else, and then finds it as well.
 */
async function race(
  create: (round: number) => Promise<Made>,
  { rounds = ROUNDS, busy }: Racing,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const all = await Promise.allSettled(Array.from({ length: CALLERS }, () => create(round)))
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    for (const reason of refused) if (codeOf(reason) !== busy) throw reason
    const made = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(made.filter(({ created }) => created).length, 1, `round ${round}`)
    const later = await create(round)
    assert.ok(!later.created, `round ${round}`)
    for (const { data } of made) assert.deepEqual(data, later.data)
  }
}

const codeOf = (reason: unknown): string | undefined =>
  reason instanceof CodedError && isErrorCode(reason.code) ? reason.code : undefined

/** Where an answer says that something existed before. */
const added = <D extends { readonly already_exists: boolean }>({ data }: { readonly data: D }): Made => ({
  created: !data.already_exists,
  data: { ...data, already_exists: true },
})

/** A test of identical creations of a kind of record, in both databases. */
const raceOf = (
  kind: string,
  start: (
    dialect: DialectName,
  ) => Promise<AsyncDisposable & { readonly create: (round: number) => Promise<Made> }>,
  { rows = '', ...racing }: Racing & { readonly rows?: string } = {},
): void =>
  forEachDialect(`identical creations of ${kind} at one moment are one creation${rows}`, async (dialect) => {
    await using world = await start(dialect)
    await race((round) => world.create(round), racing)
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
  { rows: ' [CLU-004]' },
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
  { rows: ' [PRJ-028]' },
)

raceOf(
  'a lifecycle step',
  async (dialect) => {
    const fleet = await startNodesFleet(dialect)
    const projects = await Promise.all(
      Array.from({ length: ROUNDS }, (_, index) => addProject(fleet.store, { slug: `p-${index}` })),
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
  { rows: ' [PRJ-058]', rounds: LOCKED_ROUNDS },
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
  { rows: ' [GRANT-005]' },
)

raceOf('an exclusion, from either side,', async (dialect) => {
  const fleet = await startNodesFleet(dialect)
  const { id: node } = await addNode(fleet.store, { roles: ['app-dev'] })
  const projects = await Promise.all(
    Array.from({ length: ROUNDS }, (_, index) => addProject(fleet.store, { slug: `p-${index}` })),
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

for (const action of ['allow', 'deny'] as const)
  raceOf(
    `a firewall rule (${action})`,
    async (dialect) => {
      const world = await startFirewallWorld(dialect)
      const nodes = await Promise.all(
        Array.from({ length: ROUNDS }, (_, index) => world.addMachine({ wireguard_ip: `10.44.1.${index}` })),
      )
      let current = -1
      return {
        ...world,
        create: (round) => {
          // One machine stands for all of them, and the rules of the others would only cost time.
          if (round !== current) {
            current = round
            world.ufw.take(EMPTY_RULES, EMPTY_RULES6)
            world.ufw.load()
          }
          const node = nodes[round]?.id ?? 0
          const input = { node, name: 'web', port: '443', source: 'any', protocol: 'tcp' } as const
          return world.domain.handlers[`node:firewall:${action}`]({ call: fakeCall(), input })
        },
      }
    },
    { rows: ' [FW-017]', rounds: LOCKED_ROUNDS / 2 },
  )

raceOf(
  'a role',
  async (dialect) => {
    const fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const nodes = await Promise.all(Array.from({ length: ROUNDS }, () => addNode(fleet.store, { roles: [] })))
    const add = fleet.nodes.handlers['node:role:add']
    return {
      ...fleet,
      create: (round) => add({ call: fakeCall(), input: { node: nodes[round]?.id ?? 0, role: 'database' } }),
    }
  },
  { rows: ' [ROLE-016]', rounds: LOCKED_ROUNDS },
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
  { busy: 'node.provisioning_busy', rounds: LOCKED_ROUNDS, rows: ' [NODE-026]' },
)

raceOf(
  'an Instance',
  async (dialect) => {
    const fleet = await startNodesFleet(dialect)
    await addGatewayNode(fleet.store)
    const { id: node_id } = await addNode(fleet.store, { roles: ['app-dev'] })
    const { id: project_id } = await addProject(fleet.store)
    const { instances } = testDomains({ store: fleet.store, ssh: checkoutPool() })
    return {
      ...fleet,
      create: (round) =>
        instances.handlers['instance:create']({
          call: fakeCall(),
          input: { project_id, node_id, name: `feature-${round}` },
        }),
    }
  },
  { busy: 'instance.lifecycle_busy', rounds: LOCKED_ROUNDS, rows: ' [INS-050]' },
)

/** Names that one round creates at one moment. */
const namesIn = (round: number): readonly string[] =>
  Array.from({ length: CALLERS }, (_, index) => `n-${round}-${index}`)
const DIFFERENT_ROUNDS = LOCKED_ROUNDS / 5

forEachDialect('different Nodes enrolled at one moment have different addresses', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  for (let round = 0; round < DIFFERENT_ROUNDS; round += 1)
    await Promise.all(namesIn(round).map((name) => fleet.enroll({ name })))
  const rows = await fleet.store.db.selectFrom('nodes').select('wireguard_ip').execute()
  assert.equal(new Set(rows.map((row) => row.wireguard_ip)).size, DIFFERENT_ROUNDS * CALLERS + 1)
})

forEachDialect('different steps created at one moment have one order', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const create = fleet.projects.handlers['project:setup-step:create']
  for (let round = 0; round < DIFFERENT_ROUNDS; round += 1) {
    const { id: project } = await addProject(fleet.store, { slug: `p-${round}` })
    await Promise.all(
      namesIn(round).map((name) =>
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

forEachDialect('different Instances created at one moment have different ports', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const { id: node_id } = await addNode(fleet.store, { roles: ['app-dev'] })
  const { id: project_id } = await addProject(fleet.store)
  const { instances } = testDomains({ store: fleet.store, ssh: checkoutPool() })
  const create = instances.handlers['instance:create']
  for (let round = 0; round < DIFFERENT_ROUNDS; round += 1)
    await Promise.all(
      namesIn(round).map((name) => create({ call: fakeCall(), input: { project_id, node_id, name } })),
    )
  const rows = await fleet.store.db.selectFrom('instances').select('vite_port').execute()
  assert.equal(new Set(rows.map((row) => row.vite_port)).size, DIFFERENT_ROUNDS * CALLERS)
})

forEachDialect(
  'of two Clusters that want one TLD at one moment one has it, and the other is told whose it is',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const create = fleet.clusters.handlers['cluster:create']
    for (let round = 0; round < DIFFERENT_ROUNDS; round += 1) {
      const all = await Promise.allSettled(
        namesIn(round).map((name) => create({ call: fakeCall(), input: { name, tld: `t${round}` } })),
      )
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const one of all)
        if (one.status === 'rejected') assert.equal(codeOf(one.reason), 'cluster.tld_conflict')
    }
  },
)
