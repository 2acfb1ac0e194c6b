import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyHandler, ProductionHomes, Services } from '@fleet/fleet'
import { findOperation, type RequestOf, type OperationName } from '@fleet/contract'
import { type Clock, systemClock } from '@fleet/kernel'
import { ensureRoot } from '@fleet/pki'
import type { Store } from '@fleet/store'
import {
  addCluster,
  addGatewayNode,
  asCaller,
  fakeCall,
  openTestStore,
  testFacts,
  testServices,
} from '@fleet/testing'
import { makeMortal, type Moment, type Mortal } from '@fleet/testing/death'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import { type Machine, type Machines, startMachines } from './machines.ts'

/** A fleet of two Nodes for development and one for production: real scripts and real Git, fake service managers. */
export interface World extends AsyncDisposable {
  readonly store: Store
  readonly git: GitServer
  readonly machines: Machines
  /** The production account of an Instance: a home of its own. */
  homeOf(slug: string, name: string): string
  /** A process of the gateway, which dies at the moment; without one it lives. */
  gateway(moment?: Moment): Gateway
}

export interface Gateway {
  readonly mortal: Mortal
  /** Answers what the request answers, or throws why not. */
  ask<N extends OperationName>(operation: N, input: RequestOf<N>, from?: Machine): Promise<unknown>
  /** Does what is due without a request, until nothing is; a tick only when it is named. Answers what failed. */
  work(ticks?: readonly string[]): Promise<readonly string[]>
}

export async function startWorld(): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const git = stack.use(await startGitServer(['shop', 'blog']))
  const store = stack.use(await openTestStore())
  const gatewayNode = await addGatewayNode(store)
  const env = { GIT_SSL_CAINFO: git.caFile, GIT_CONFIG_NOSYSTEM: '1' }
  const roles = [['app-dev'], ['app-dev'], ['app-prod'], ['router'], ['router']] as const
  const machines = stack.use(await startMachines(store, roles, env))
  const [one, other, , router, otherRouter] = machines.all.map(({ node }) => node)
  if (!one || !other || !router || !otherRouter) throw new Error('the Nodes are missing')
  await addCluster(store, { name: 'here', tld: 'here', state: 'active' }, [one, router])
  await addCluster(store, { name: 'there', tld: 'there', state: 'active' }, [other, otherRouter])
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-sequences-')))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Test' })
  const [, , production] = machines.all
  const homeOf: World['homeOf'] = (slug, name) => join(production?.home ?? '', 'homes', `${slug}-${name}`)
  const homes: ProductionHomes = {
    accountFor: ({ user }, slug, name) => ({ user, home: homeOf(slug, name) }),
    requireFree: async () => undefined,
    ensure: async (_session, { home }) => void mkdirSync(home, { recursive: true, mode: 0o700 }),
  }
  const clock = makeClock()
  const gateway = (moment?: Moment): Gateway => {
    const mortal = makeMortal(store, machines.pool, moment)
    const services = testServices(
      {
        store: mortal.store,
        ssh: mortal.ssh,
        clock,
        root: machines.root,
        gitEnvironment: { PATH: process.env['PATH'] ?? '', ...env },
        facts: { ...testFacts, caDirectory: join(folder, 'ca') },
        hibernation: {
          idleSeconds: 0,
          dependencyIdleSeconds: 1e9,
          sweepSeconds: 600,
          wakeSeconds: 60,
          coldWakeSeconds: 60,
        },
        local: localServers(machines, folder, mortal),
      },
      { productionHomes: homes },
    )
    const call = (from?: Machine) =>
      fakeCall({ caller: asCaller(from?.node ?? gatewayNode, from === undefined) })
    return {
      mortal,
      ask: async (operation, input, from) => {
        const declared = findOperation(operation)
        if (!declared) throw new Error(`there is no ${operation}`)
        const handler = services.handlers[operation] as AnyHandler // Its input is what its own schema parses.
        const given = { call: call(from), input: declared.input.parse(input) as never } // As above.
        const { data, failure } = await handler(given)
        if (failure) throw failure
        return data
      },
      work: (ticks = []) => workOff(store, services, call, ticks),
    }
  }
  const owned = stack.move()
  return { store, git, machines, homeOf, gateway, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** As the runner does it, but at once and in order. */
async function workOff(
  { db }: Store,
  { workKinds }: Services,
  call: () => ReturnType<typeof fakeCall>,
  ticks: readonly string[],
): Promise<readonly string[]> {
  const kindOf = (name: string) => {
    const kind = workKinds.find((known) => known.name === name)
    if (!kind) throw new Error(`there is no work ${name}`)
    return kind
  }
  for (const tick of ticks) await kindOf(tick).run(call(), null)
  const failed: string[] = []
  let last = 0
  for (;;) {
    const row = await db
      .selectFrom('work')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .executeTakeFirst()
    if (!row) return failed
    last = row.id
    try {
      const end = await kindOf(row.kind).run(call(), JSON.parse(row.payload))
      await end?.(db)
      await db.deleteFrom('work').where('id', '=', row.id).execute()
    } catch (error) {
      failed.push(`${row.kind} ${row.key}: ${String(error)}`)
    }
  }
}

/** Each Node has a web server that takes every file. */
function localServers(machines: Machines, folder: string, mortal: Mortal) {
  const at = (address: string): Machine | undefined =>
    machines.all.find(({ node }) => node.wireguard_ip === address)
  return {
    version: 'v2.9.1',
    suffix: 'fleet',
    root: join(folder, 'ca', 'root.crt'),
    certificatesOf: (address: string) => at(address) && join(folder, address),
    portOf: (address: string) => (at(address) ? 443 : undefined),
    reload: async () => undefined,
    load: (address: string, text: string) =>
      mortal.around(async () => {
        const machine = at(address)
        if (!machine) throw new Error(`no Node is at ${address}`)
        const isSame = machine.sites === text
        machine.sites = text
        return isSame ? ('unchanged' as const) : ('applied' as const)
      }),
  }
}

/** Nobody waits here: a sleep is over at once, and its time has passed all the same. */
function makeClock(): Clock {
  let slept = 0
  return {
    now: () => systemClock.now(),
    ticks: () => systemClock.ticks() + slept,
    sleep: async (milliseconds) => void (slept += milliseconds),
    timer: (milliseconds) => systemClock.timer(milliseconds),
  }
}

export const isThere = (path: string): boolean => existsSync(path)
