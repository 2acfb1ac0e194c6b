import type { Store } from '@fleet/store'

/** What was asked of a store; locks, which have their own statements, are left out. */
export interface StoreCounts {
  statements: number
  /** Results that hold a whole Node, Instance or Project. */
  nodes: number
  instances: number
  projects: number
}

// A column that is read with the whole record alone.
const WHOLE = {
  nodes: 'agent_secret_hash',
  instances: 'preparation_id',
  projects: 'repository_identity',
} as const

export const newCounts = (): StoreCounts => ({ statements: 0, nodes: 0, instances: 0, projects: 0 })

/** The store with every statement of its users counted. */
export function countedStore(store: Store, counts: StoreCounts): Store {
  const plugin: Parameters<Store['db']['withPlugin']>[0] = {
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      counts.statements += 1
      const [first] = result.rows
      for (const kind of ['nodes', 'instances', 'projects'] as const)
        if (first && WHOLE[kind] in first) counts[kind] += 1
      return Promise.resolve(result)
    },
  }
  return {
    ...store,
    db: store.db.withPlugin(plugin),
    relaxed: store.relaxed.withPlugin(plugin),
    transaction: (work) => store.transaction((db) => work(db.withPlugin(plugin))),
  }
}
