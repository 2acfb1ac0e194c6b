import { Secret } from '@fleet/kernel'
import { rmSync } from 'node:fs'
import {
  type Domains,
  type NodesDomain,
  type ProjectsDomain,
  type RemoteGit,
  RemoteUnreadable,
} from '@fleet/fleet'
import type { DialectName, Store } from '@fleet/store'
import { nodeHandlers, testDomains } from './domains.ts'
import { type LocalPool, localPool } from './local-pool.ts'
import { makeNodeHome } from './node-home.ts'
import { type FakeNodeServices, fakeNodeServices } from './node-services.ts'
import { openTestStore } from './store.ts'

/** The domains of Nodes and Projects over a store of their own; Instances are what the store says. */
export interface NodesFleet extends AsyncDisposable {
  readonly store: Store
  readonly pool: LocalPool
  readonly nodeServices: FakeNodeServices
  /** Home of the managed user on the one machine that simulates all Nodes. */
  readonly home: string
  readonly domains: Domains
  readonly nodes: Omit<NodesDomain, 'handlers'> & { readonly handlers: ReturnType<typeof nodeHandlers> }
  readonly projects: ProjectsDomain
  readonly git: FakeRemoteGit
}

/** `through` may put something between the domains and the store. */
export async function startNodesFleet(
  dialect?: DialectName,
  through: (store: Store) => Store = (store) => store,
): Promise<NodesFleet> {
  // The real path: on macOS the temporary folder lies behind a link.
  const home = makeNodeHome('fleet-nodes')
  const store = through(await openTestStore(dialect ? { dialect } : {}))
  const pool = localPool({ home })
  const git = fakeRemoteGit()
  const nodeServices = fakeNodeServices()
  const domains = testDomains({ store, ssh: pool }, { git, nodeServices })
  const nodes = { ...domains.nodes, handlers: nodeHandlers(domains) }
  const { projects } = domains
  const dispose = async (): Promise<void> => {
    await store[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  }
  return { store, pool, domains, nodeServices, home, nodes, projects, git, [Symbol.asyncDispose]: dispose }
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
    async githubToken() {
      return this.githubLogin ? new Secret('gh-token') : undefined
    },
  }
}
