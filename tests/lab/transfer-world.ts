import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import type { OperationName, RequestOf } from '@fleet/contract'
import { doctorReport, findOperation } from '@fleet/contract'
import type { AnyHandler, Services } from '@fleet/fleet'
import { CodedError, systemClock } from '@fleet/kernel'
import { ensureRoot } from '@fleet/pki'
import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import {
  addCluster,
  addGatewayNode,
  addNode,
  fakeCall,
  openTestStore,
  testDomains,
  testFacts,
  testServices,
} from '@fleet/testing'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import type { Host, Lab } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { firstProject, prepare } from '../sequences/repositories.ts'
import { composerApp } from './composer-app.ts'
import { letIn } from './role-host.ts'
import { poolOf, testLab } from './site.ts'
import { trust } from './trust.ts'

const USER = 'fleet'
const NETWORK = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }

/** Notices within seconds that a machine is silent. */
const IMPATIENT = { keepaliveSeconds: 1, keepaliveCount: 2, connectTimeoutMilliseconds: 3000 }

/** A second without a visit is enough to sleep, and a day to lose dependencies. */
const HIBERNATION = {
  idleSeconds: 1,
  dependencyIdleSeconds: 86_400,
  sweepSeconds: 600,
  wakeSeconds: 60,
  coldWakeSeconds: 300,
}

/** A host that is a Node. */
export interface Member {
  readonly host: Host
  readonly id: number
}

/** A command that was sent to a Node, and the step that sent it. */
export interface Asked {
  readonly nodeId: number
  readonly step: string
  /** It reads what another Node sends. */
  readonly takes: boolean
}

/** Where something happens: before the command with this number from 0, or once so many bytes of its input have passed. */
export interface Position {
  readonly at: number
  readonly bytes?: number
}

export interface Happening {
  readonly position: Position
  readonly work: () => Promise<void>
}

export interface Ended {
  readonly code: string | undefined
  /** What the failure said, for who reads the log of a run. */
  readonly said: string
  readonly asked: readonly Asked[]
  readonly isStruck: boolean
}

/**
 * Two hosts with the role app-dev, their Router, and the domains of one gateway: it reaches them over their own addresses, and
 * nobody serves names.
 */
export interface TransferWorld extends AsyncDisposable {
  readonly store: Store
  readonly members: readonly [Member, Member]
  /** With the role app-prod, where it was asked for. */
  readonly live?: Member
  readonly edge: Member
  /** Puts files into a repository. */
  commit(repository: string, files: Readonly<Record<string, string>>): void
  /** Certificate of the authority of the fleet. */
  readonly root: string
  ask<N extends OperationName>(operation: N, input: RequestOf<N>): Promise<unknown>
  /** The code of a failure, and the commands of the request. The work happens at the position, and holds the rest. */
  askWhile<N extends OperationName>(
    operation: N,
    input: RequestOf<N>,
    happening?: Happening,
    from?: Member,
  ): Promise<Ended>
  /** Codes that Doctor finds on its Nodes. */
  issues(): Promise<readonly string[]>
  /** Address of a repository. */
  urlOf(name: string): string
  /** The Project `page`, an application of Composer. Answers its id. */
  addPage(domain: string): Promise<number>
  /** Runs background work by its name, and what it has made due. */
  work(kind: string): Promise<void>
  /** What its record says. */
  transferOf(id: number): Promise<{ readonly nodeId: number; readonly status: string | undefined }>
  /** Waits until a host that was off takes commands again. */
  reachable(host: Host): Promise<void>
}

export async function startTransferWorld(
  name: string,
  { hasProduction = false, idleSeconds = HIBERNATION.idleSeconds }: WorldOptions = {},
): Promise<TransferWorld> {
  await using stack = new AsyncDisposableStack()
  const lab = await testLab()
  const git = stack.use(await startGitServer(['shop', 'blog'], lab.addresses.machine))
  prepare({ git })
  const store = stack.use(await openTestStore())
  const folder = mkdtempSync(join(tmpdir(), 'fleet-transfer-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const caDirectory = join(folder, 'ca')
  const { certificate } = await ensureRoot({ directory: caDirectory, clock: systemClock, name: 'Fleet root' })
  await addGatewayNode(store)
  const member = (of: string, role: EnteredRole): Promise<Member> =>
    enter(
      { lab, store, stack, authorities: { git: git.caFile, 'fleet-gateway': join(caDirectory, 'root.crt') } },
      `${name}-${of}`,
      role,
    )
  const members = [await member('one', 'app-dev'), await member('two', 'app-dev')] as const
  const edge = await member('edge', 'router')
  const production = hasProduction ? { live: await member('live', 'app-prod') } : {}
  await addCluster(store, { name: 'here', tld: 'here', state: 'active' }, [...members, edge])
  const gate = new Gate()
  const ssh = gate.through(stack.use(poolOf(lab, IMPATIENT)))
  const deps = {
    store,
    ssh,
    facts: { ...testFacts, caDirectory },
    hibernation: { ...HIBERNATION, idleSeconds },
    gitEnvironment: { GIT_SSL_CAINFO: git.caFile, PATH: process.env['PATH'] ?? '' },
  }
  const { dns, network } = testDomains(deps)
  await network.configure(NETWORK)
  const services = testServices(deps, { dns: { ...dns, ensure: async () => undefined } })
  const ask = asking(services)
  await ask('project:create', firstProject({ git }))
  const owned = stack.move()
  return {
    store,
    members,
    ...production,
    edge,
    root: certificate,
    ask,
    commit: (repository, files) => void git.commit(repository, 'main', files),
    ...deedsOf({ store, git, services, ask, gate, ssh, members: [...members, ...Object.values(production)] }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export interface WorldOptions {
  readonly hasProduction?: boolean
  /** After so long without a visit an Instance sleeps. */
  readonly idleSeconds?: number
}

type EnteredRole = 'app-dev' | 'app-prod' | 'router'

interface Entering {
  readonly lab: Lab
  readonly store: Store
  readonly stack: AsyncDisposableStack
  /** Files of the authorities that it trusts, by their names there. */
  readonly authorities: Readonly<Record<string, string>>
}

async function enter(
  { lab, store, stack, authorities }: Entering,
  name: string,
  role: EnteredRole,
): Promise<Member> {
  const host = stack.use(await lab.host({ name, roles: [role] }))
  await letIn(host, (await host.run(['cat', '/root/.ssh/authorized_keys'])).trim())
  for (const [of, file] of Object.entries(authorities)) await trust(file, of, host)
  await host.run(['sync'])
  const node = await addNode(store, {
    name: host.name,
    roles: [role],
    tld: `${name}.test`,
    platform: 'linux',
    user: USER,
    user_home: `/home/${USER}`,
    wireguard_ip: host.address,
    ssh_host_fingerprint: await host.fingerprint(),
  })
  return { host, id: node.id }
}

type Ask = (
  operation: OperationName,
  input: object,
  report?: (step: string) => void,
  from?: Member,
) => Promise<unknown>

const asking =
  (services: Services): Ask =>
  async (operation, input, report, from) => {
    const declared = findOperation(operation)
    if (!declared) throw new Error(`there is no ${operation}`)
    const handler = services.handlers[operation] as AnyHandler // Its input is what its own schema parses.
    const call = fakeCall(from && { caller: callerOn(from) })
    const progress: typeof call.progress = (told) => {
      call.progress(told)
      if (told.status === 'started') report?.(told.step)
    }
    const given = declared.input.parse(input) as never // The declaration of the operation.
    const { data, failure } = await handler({ call: { ...call, progress }, input: given })
    if (failure) throw failure
    return data
  }

/** Somebody on a Node. */
const callerOn = ({ id, host }: Member) => ({
  id,
  name: host.name,
  address: host.address,
  isGateway: false,
})

interface Deeds {
  readonly store: Store
  readonly git: GitServer
  readonly services: Services
  readonly ask: Ask
  readonly gate: Gate
  readonly ssh: SshPool
  readonly members: readonly Member[]
}

async function issuesOf(ask: Ask, members: readonly Member[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const { id } of members) {
    const { nodes } = doctorReport.parse(
      await ask('doctor:run', { node_id: id, families: ['project', 'instance', 'process', 'route'] }),
    )
    for (const { families } of nodes)
      for (const { issues } of families)
        for (const { code, resource_name, observed } of issues)
          // Nobody serves names here.
          if (code !== 'instance.private_dns_mismatch') found.push(`${code} ${resource_name} ${observed}`)
  }
  return found
}

function deedsOf({
  store,
  git,
  services,
  ask,
  gate,
  ssh,
  members,
}: Deeds): Pick<
  TransferWorld,
  'askWhile' | 'issues' | 'urlOf' | 'addPage' | 'work' | 'transferOf' | 'reachable'
> {
  return {
    issues: () => issuesOf(ask, members),
    urlOf: (name) => git.urlOf(name),
    askWhile: async (operation, input, happening, from) => {
      const asked: Asked[] = []
      gate.watch(asked, happening)
      const failure = await ask(operation, input, (step) => (gate.step = step), from).then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof CodedError)) throw error
          return error
        },
      )
      const said = failure ? inspect(failure, { depth: 6 }) : ''
      return { code: failure?.code, said, asked, isStruck: await gate.over() }
    },
    addPage: async (domain) => {
      git.commit('blog', 'main', composerApp(domain))
      const project = { slug: 'page', type: 'laravel-app', root: 'public', repository_url: git.urlOf('blog') }
      return ((await ask('project:create', project)) as { readonly id: number }).id // As the contract says.
    },
    work: async (kind) => {
      const named = (name: string) =>
        services.workKinds.find((known) => known.name === name) ?? assert.fail(name)
      await named(kind).run(fakeCall(), null)
      for (;;) {
        const row = await store.db.selectFrom('work').selectAll().orderBy('id').executeTakeFirst()
        if (!row) return
        await named(row.kind).run(fakeCall(), JSON.parse(row.payload))
        await store.db.deleteFrom('work').where('id', '=', row.id).execute()
      }
    },
    transferOf: async (id) => {
      const { node_id: nodeId, transfer } = await store.db
        .selectFrom('instances')
        .select(['node_id', 'transfer'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return { nodeId, status: transfer?.status }
    },
    reachable: async (host) => {
      const target = {
        host: host.address,
        port: 22,
        user: USER,
        nodeId: 1,
        fingerprint: await host.fingerprint(),
      }
      const isReached = await waitFor(60, () =>
        ssh.probe(target, 3000).then(
          () => true as const,
          () => undefined,
        ),
      )
      if (!isReached) throw new Error(`${host.name} cannot be reached`)
    },
  }
}

/** Holds commands back while something happens, so that it never comes too late, and sees which are sent. */
class Gate {
  step = ''
  #asked: Asked[] = []
  #happening: Happening | undefined
  #until: Promise<void> | undefined

  watch(asked: Asked[], happening: Happening | undefined): void {
    this.step = ''
    this.#asked = asked
    this.#happening = happening
    this.#until = undefined
  }

  /** Once all that happens has happened: whether anything did. */
  async over(): Promise<boolean> {
    const isStruck = this.#until !== undefined
    await this.#until
    this.watch([], undefined)
    return isStruck
  }

  through(pool: SshPool): SshPool {
    return {
      ...pool,
      run: async (target, command, options) => {
        const takes = options.stdinFrom !== undefined
        const at = this.#asked.push({ nodeId: target.nodeId, step: this.step, takes }) - 1
        const { position, work } = this.#happening ?? {}
        const isNow = position?.at === at && work !== undefined
        if (isNow && position.bytes === undefined) this.#until = work()
        await this.#until
        if (!isNow || position.bytes === undefined || !options.stdinFrom)
          return pool.run(target, command, options)
        const stdinFrom = Readable.from(this.#struckAfter(options.stdinFrom, position.bytes, work))
        return pool.run(target, command, { ...options, stdinFrom })
      },
    }
  }

  async *#struckAfter(from: Readable, bytes: number, work: () => Promise<void>): AsyncGenerator<Buffer> {
    let passed = 0
    const chunks = from as AsyncIterable<Buffer> // What a command prints.
    for await (const chunk of chunks) {
      passed += chunk.length
      if (passed >= bytes) this.#until ??= work()
      await this.#until
      yield chunk
    }
  }
}
