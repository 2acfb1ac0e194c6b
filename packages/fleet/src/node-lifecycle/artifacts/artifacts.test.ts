import { noLog } from '@fleet/steps'
import { testStepList } from '@fleet/steps/testing'
import { fakeNodeServices } from '@fleet/testing'
import { life, member, type Life } from '#/node-lifecycle/life.test.ts'
import type { NodeArtifact, NodeRecord } from '#/nodes/api.ts'
import { type ArtifactWork, artifactsOf, nodeArtifacts } from './artifacts.ts'
import { appliedDigests } from './queries.ts'

const begin = life()

interface Given extends ArtifactWork {
  readonly life: Life
  readonly node: NodeRecord
  /** What is installed on the machine. */
  readonly installed: Set<string>
}

const artifact = (name: NodeArtifact['name'], installed: Set<string>, isThere = true): NodeArtifact => ({
  name,
  digest: async () => `digest of ${name}`,
  converge: async () => {
    if (!isThere) return { skipped: 'node.capability_missing' }
    installed.add(name)
    return 'applied'
  },
})

const request = async (given: Life, node: NodeRecord, installed: Set<string>): Promise<Given> => {
  const session = given.deps.sessions.overTunnel(given.call, node)
  return { ...(await artifactsOf(given.deps, session, false)), life: given, node, installed }
}

testStepList<Given>('node-artifacts', {
  list: nodeArtifacts,
  fresh: async () => {
    const installed = new Set<string>()
    const artifacts = [artifact('caddy', installed), artifact('websocket', installed, false)]
    const given = await begin(Object.assign(fakeNodeServices(), { artifacts }))
    return request(given, await member(given), installed)
  },
  view: async ({ deps, node, installed }) => ({
    installed: [...installed],
    applied: [...(await appliedDigests(deps.store.db, node.id))],
  }),
  log: () => noLog,
  again: ({ life: given, node, installed }) => request(given, node, installed),
})
