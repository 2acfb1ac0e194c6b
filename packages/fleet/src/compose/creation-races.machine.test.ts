import assert from 'node:assert/strict'
import { fakeCall, forEachDialect, startClustersFleet, startNodesFleet } from '@fleet/testing'

const ROUNDS = 200
const CALLERS = 8

/** Each round's callers ask for the same at one moment: one creates it and the others find it, and nobody is refused. */
async function race(
  create: (round: number) => Promise<{ readonly created?: boolean; readonly data: unknown }>,
) {
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcomes = await Promise.all(Array.from({ length: CALLERS }, () => create(round)))
    assert.equal(outcomes.filter(({ created }) => created).length, 1, `round ${round}`)
    for (const { data } of outcomes) assert.deepEqual(data, outcomes[0]?.data)
  }
}

forEachDialect(
  'identical creations of a Cluster at one moment are one creation [CLU-004]',
  async (dialect) => {
    await using fleet = await startClustersFleet(dialect)
    const create = fleet.clusters.handlers['cluster:create']
    await race((round) => create({ call: fakeCall(), input: { name: `c${round}`, tld: `t${round}` } }))
  },
)

forEachDialect(
  'identical creations of a Project at one moment are one creation [PRJ-028]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const create = fleet.projects.handlers['project:create']
    await race((round) => {
      const repository_url = `https://git.example.com/acme/shop-${round}.git`
      fleet.git.remotes.set(repository_url, ['main'])
      const input = { slug: `shop-${round}`, type: 'node-package', repository_url, root: '.' } as const
      return create({ call: fakeCall(), input })
    })
  },
)
