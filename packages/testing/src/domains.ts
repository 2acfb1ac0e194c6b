import { compose, type ComposeDeps, type Domains, GITHUB, makeDomains, type Services } from '@fleet/fleet'
import { systemClock, systemIds } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeMortal, type Moment, type Mortal } from './death.ts'
import { fakeExecutables } from './executables.ts'
import { fakeDatabases } from './fake-databases.ts'
import { localPool } from './local-pool.ts'

export { accessOf, type Domains } from '@fleet/fleet'

/** What the domains of a test are built from; what is left out refuses to be used, or does nothing. */
export interface DomainsGiven extends Partial<Omit<ComposeDeps, 'store'>> {
  readonly store: Store
}

/** What replaces domains, or makes it from those that it replaces. */
export type Fakes = Partial<Domains> | ((real: Domains) => Partial<Domains>)

/**
 * The domains of one gateway over a store, wired as the gateway wires them. A test names the domain that it needs and,
 * as `fakes`, what replaces another one: `testDomains({ store }, { git }).projects`; or a part of it:
 * `testDomains({ store }, ({ dns }) => ({ dns: { ...dns, checks } }))`.
 */
export function testDomains({ store, ...given }: DomainsGiven, fakes: Fakes = {}): Domains {
  const deps = { ...outside(), ssh: localPool({ home: '/nowhere' }), ...given, store }
  return makeDomains({ ...deps, fakes: typeof fakes === 'function' ? fakes(makeDomains(deps)) : fakes })
}

/** Every handler and locator of such a gateway. */
export const testServices = ({ store, ...given }: DomainsGiven, fakes: Partial<Domains> = {}): Services =>
  compose({ ...outside(), ssh: localPool({ home: '/nowhere' }), ...given, store, fakes })

/** The same domains in a process that dies at the moment, with the counts of what it did; without one it lives. */
export function mortalDomains(
  given: DomainsGiven & Pick<ComposeDeps, 'ssh'>,
  moment?: Moment,
  fakes: Partial<Domains> = {},
): { readonly mortal: Mortal; readonly domains: Domains } {
  const mortal = makeMortal(given.store, given.ssh, moment)
  return { mortal, domains: testDomains({ ...given, store: mortal.store, ssh: mortal.ssh }, fakes) }
}

/** Every operation on Nodes: their records, their roles and their lifecycle. */
export const nodeHandlers = ({ nodes, roleHandlers, lifecycle }: Domains) => ({
  ...nodes.handlers,
  ...roleHandlers,
  ...lifecycle.handlers,
})

/** What a gateway says of itself, and where it keeps its authority. */
export const testFacts: ComposeDeps['facts'] = {
  name: 'gateway',
  version: 'test',
  runtime: { name: 'node', version: 'test' },
  health: async () => 'ready',
  caDirectory: '/nowhere',
  sshKey: { publicKey: '', fingerprint: '' },
}

const outside = () => ({
  clock: systemClock,
  ids: systemIds,
  gatewayId: 'gateway-a',
  sshPublicKey: `ssh-ed25519 ${'A'.repeat(68)} gateway`,
  protectedPaths: ['/srv/gateway'],
  gitEnvironment: {},
  github: { ...GITHUB, fetch: unused },
  websocketPort: 8790,
  websocketOrigins: ['gateway.fleet'],
  executables: fakeExecutables(),
  facts: testFacts,
  publisher: { isListening: async () => false, report: async () => undefined },
  serverProbe: { ask: unused },
  engines: { access: fakeDatabases(), dial: unused },
  servedCertificates: { certificateAt: async () => undefined },
  logPublisher: { report: async () => undefined, changed: async () => undefined },
  warn: () => undefined,
})

const unused = (): never => {
  throw new Error('a test used what it did not give')
}
