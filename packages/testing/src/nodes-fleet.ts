import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeProjects, type ProjectsDomain, type RemoteGit, RemoteUnreadable } from '@fleet/fleet'
import { systemClock } from '@fleet/kernel'
import type { DialectName, Store } from '@fleet/store'
import { makeNodeDomains, type NodeDomains } from './node-domains.ts'
import { type LocalPool, localPool } from './local-pool.ts'
import { type FakeNodeServices, fakeNodeServices, withoutMachines } from './node-services.ts'
import { openTestStore } from './store.ts'

/** The domains of Nodes and Projects over a store of their own; Instances are what the store says. */
export interface NodesFleet extends AsyncDisposable {
  readonly store: Store
  readonly pool: LocalPool
  readonly nodeServices: FakeNodeServices
  /** Home of the managed user on the one machine that stands for all Nodes. */
  readonly home: string
  readonly nodes: NodeDomains
  readonly projects: ProjectsDomain
  readonly git: FakeRemoteGit
}

export async function startNodesFleet(dialect?: DialectName): Promise<NodesFleet> {
  // The real path: on macOS the temporary folder lies behind a link.
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-nodes-')))
  const store = await openTestStore(dialect ? { dialect } : {})
  const pool = localPool({ home })
  const git = fakeRemoteGit()
  const nodeServices = fakeNodeServices()
  const parts = { ...withoutMachines, store, clock: systemClock, ssh: pool, git, services: nodeServices }
  const nodes = makeNodeDomains({
    ...parts,
    placements: checkoutsIn(store),
    protectedPaths: ['/srv/gateway'],
  })
  const projects = makeProjects({ ...parts, nodes: nodes.nodes, placements: placementsIn(store) })
  const dispose = async (): Promise<void> => {
    await store[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  }
  return { store, pool, nodeServices, home, nodes, projects, git, [Symbol.asyncDispose]: dispose }
}

/** Remotes that a test fills: URL to branches, the default first. One that is missing cannot be read. */
export interface FakeRemoteGit extends RemoteGit {
  readonly remotes: Map<string, readonly string[]>
  /** What was asked, in order. */
  readonly asked: string[]
  githubLogin: boolean
}

export function fakeRemoteGit(): FakeRemoteGit {
  const remotes = new Map<string, readonly string[]>()
  const asked: string[] = []
  const branchesOf = (question: string, url: string): readonly string[] => {
    asked.push(`${question} ${url}`)
    const branches = remotes.get(url)
    if (!branches) throw new RemoteUnreadable('no such remote')
    return branches
  }
  return {
    remotes,
    asked,
    githubLogin: false,
    defaultBranch: async ({ url }) => {
      const [first] = branchesOf('default of', url)
      if (first === undefined) throw new RemoteUnreadable('empty')
      return first
    },
    hasBranch: async ({ url }, branch) => branchesOf(branch, url).includes(branch),
    async hasGithubLogin() {
      return this.githubLogin
    },
  }
}

const checkoutsIn = ({ db }: Store) => ({
  pathsOn: async (nodeId: number) => {
    const rows = await db
      .selectFrom('instances')
      .select('checkout_path')
      .where('node_id', '=', nodeId)
      .execute()
    return rows.map((row) => row.checkout_path)
  },
  developmentCounts: async (nodeId: number) => {
    const rows = await db
      .selectFrom('instances')
      .select(['project_id'])
      .where('node_id', '=', nodeId)
      .where('environment', '=', 'development')
      .execute()
    return new Map([...Map.groupBy(rows, (row) => row.project_id)].map(([id, group]) => [id, group.length]))
  },
})

const placementsIn = ({ db }: Store) => {
  const rows = () => db.selectFrom('instances').select(['project_id', 'node_id']).execute()
  const nodeIdsByProject = async (): Promise<ReadonlyMap<number, readonly number[]>> =>
    new Map(
      [...Map.groupBy(await rows(), (row) => row.project_id)].map(([id, group]) => [
        id,
        [...new Set(group.map((row) => row.node_id))],
      ]),
    )
  return {
    nodeIdsByProject,
    nodeIdsOf: async (projectId: number) => (await nodeIdsByProject()).get(projectId) ?? [],
    countOf: async (projectId: number) => (await rows()).filter((row) => row.project_id === projectId).length,
  }
}
