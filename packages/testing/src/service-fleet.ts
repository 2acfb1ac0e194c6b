import type { Domains, NodeRecord, Nodes, NodeSession, ServiceDeps } from '@fleet/fleet'
import type { DialectName, Store } from '@fleet/store'
import { testDomains } from './domains.ts'
import { fakeExecutables } from './executables.ts'
import { addNode } from './factories.ts'
import { type ServiceHost, serviceHost } from './service-host.ts'
import { localSession, nodeRecord } from './session.ts'
import { openTestStore } from './store.ts'

/** One active Node whose root is a folder here, and the domains over it. */
export interface ServiceFleet extends AsyncDisposable {
  readonly host: ServiceHost
  readonly store: Store
  readonly domains: Domains
  readonly node: NodeRecord
  readonly session: NodeSession
  /** What the steps of a domain with a service are given. */
  readonly deps: ServiceDeps & { readonly store: Store; readonly nodes: Nodes }
}

export async function startServiceFleet(dialect?: DialectName): Promise<ServiceFleet> {
  const host = serviceHost()
  const store = await openTestStore(dialect ? { dialect } : {})
  const node = nodeRecord(await addNode(store, { user: 'root' }))
  const executables = fakeExecutables()
  const domains = testDomains({ store, ssh: host.pool, root: host.root, executables })
  return {
    host,
    store,
    node,
    session: localSession(host.pool, { node }),
    domains,
    deps: { store, nodes: domains.nodes.nodes, executables, root: host.root },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      host[Symbol.dispose]()
    },
  }
}
