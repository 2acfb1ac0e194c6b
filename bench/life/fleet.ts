import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { createSshPool, type SshPool } from '@fleet/ssh'
import { addNode, testDomains } from '@fleet/testing'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { type SshServer, startSshServer } from '../ssh-server.ts'

/** A Node of the benchmark: an SSH server of this machine, with a home of its own. */
export interface BenchNode {
  readonly id: number
  readonly server: SshServer
  readonly home: string
}

interface Sent {
  /** First comment line of the script. */
  readonly title: string
  readonly milliseconds: number
}

/** Two Nodes behind SSH servers, a Project with a repository that both read over HTTPS, and the domains over a real pool. */
export interface LifeFleet extends AsyncDisposable {
  readonly fleet: InstancesFleet
  readonly nodes: readonly [BenchNode, BenchNode]
  readonly domains: ReturnType<typeof testDomains>
  /** Every command that was sent, in order. */
  readonly sent: readonly Sent[]
}

export async function startLifeFleet(): Promise<LifeFleet> {
  await using stack = new AsyncDisposableStack()
  const fleet = stack.use(await startInstancesFleet())
  const other = await addNode(fleet.store, { name: 'second', user_home: '/', roles: ['app-dev'] })
  const first = await startNode(fleet, fleet.node.id, stack)
  const second = await startNode(fleet, other.id, stack)
  const sent: Sent[] = []
  const given = { store: fleet.store, ssh: timed(overSshd([first, second], stack), sent) }
  const { forInstances } = testDomains(given).routes
  // What a web server and the DNS take is not measured.
  const instanceRoutes = {
    ...forInstances,
    planMove: async () => [SERVED_NOWHERE],
    move: async () => undefined,
    publish: async () => undefined,
    unpublish: async () => undefined,
  }
  const domains = testDomains(given, { instanceRoutes })
  const owned = stack.move()
  return { fleet, nodes: [first, second], domains, sent, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const SERVED_NOWHERE = {
  routeId: 1,
  isOwn: true,
  php_version: null,
  domain: 'shop.test',
  node_id: null,
  cluster_id: null,
  generation_basis_node_id: null,
  scope: { nodeId: 1, clusterId: null },
}

async function startNode(
  { store, home: folder, git }: InstancesFleet,
  id: number,
  stack: AsyncDisposableStack,
): Promise<BenchNode> {
  const server = stack.use(await startSshServer())
  const home = join(folder, `node-${id}`)
  mkdirSync(home)
  writeFileSync(join(server.home, '.gitconfig'), `[http]\n\tsslCAInfo = ${git.caFile}\n`)
  const { target } = server
  const values = {
    user: target.user,
    user_home: home,
    wireguard_ip: `127.0.0.${id}`,
    ssh_port: target.port,
    ssh_host_fingerprint: target.fingerprint,
  }
  await store.db.updateTable('nodes').set(values).where('id', '=', id).execute()
  return { id, server, home }
}

/** One pool for each Node, as each server has a key of its own. */
function overSshd(nodes: readonly BenchNode[], stack: AsyncDisposableStack): Pick<SshPool, 'run'> {
  const pools = new Map(
    nodes.map(({ id, server: { key, target } }) => {
      const pool = stack.use(createSshPool({ privateKey: key.privateKey, clock: systemClock }))
      return [id, { pool, target: { ...target, nodeId: id } }] as const
    }),
  )
  return {
    run: ({ nodeId }, command, options) => {
      const node = pools.get(nodeId)
      if (!node) throw new Error(`Node ${nodeId} has no SSH server`)
      return node.pool.run(node.target, command, options)
    },
  }
}

const unused = (): never => {
  throw new Error('the benchmark used what it did not start')
}

const timed = ({ run }: Pick<SshPool, 'run'>, sent: Sent[]): SshPool => ({
  run: async (target, command, options) => {
    const start = performance.now()
    try {
      return await run(target, command, options)
    } finally {
      const title = /'([^']+)'/.exec(command.shown)?.[1] ?? command.shown
      sent.push({ title, milliseconds: performance.now() - start })
    }
  },
  forward: unused,
  probe: unused,
  scan: unused,
  forget: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
})
