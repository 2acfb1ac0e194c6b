import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { script } from '@fleet/shell'
import { localSession, type TunnelMachine, tunnelMachine } from '@fleet/testing'
import { compareStart } from '#/network/checks/make.ts'
import { tunnelFiles, tunnelQuestion, type TunnelView } from '#/network/checks/tunnel-question.ts'
import { ownKey } from '#/network/commands/key.ts'
import { settleHub, settlePeer, type Settlement } from '#/network/commands/settle.ts'
import { hubConfiguration, peerConfiguration } from '#/network/configuration.ts'
import { planResolver } from '#/network/resolver-plan.ts'

const CONF = 'etc/wireguard/fleet.conf'
const KEY = 'etc/wireguard/fleet.key'
const HOOK = 'etc/wireguard/fleet.hook'
const PREVIOUS = 'etc/wireguard/fleet.conf.previous'
const OTHER = `${'b'.repeat(42)}A=`

const HUB: Settlement = {
  kind: 'hub',
  configuration: hubConfiguration({
    address: '10.44.0.1',
    prefix: 16,
    port: 51_820,
    peers: [{ nodeId: 2, publicKey: OTHER, address: '10.44.0.2', publicHost: '203.0.113.2' }],
  }),
  address: '10.44.0.1/16',
  port: 51_820,
  handshakeSeconds: 0,
}

const member = { server: '10.44.0.1', suffix: 'fleet', tld: null, isHub: false, isGateway: false }

function peerOf(host: string, isManaged: boolean): Settlement {
  const resolver = planResolver({ ...member, isManaged, override: null })
  const hub = { publicKey: OTHER, endpoint: { host, port: 51_820 } }
  return {
    kind: 'peer',
    configuration: peerConfiguration({ address: '10.44.0.7', hub, range: '10.44.0.0/16', resolver }),
    address: '10.44.0.7/32',
    port: 41_820,
    handshakeSeconds: 1,
    resolver,
  }
}

interface Site {
  readonly machine: TunnelMachine
  /** What a converge does. */
  settle(settlement: Settlement): Promise<void>
  /** What Doctor finds where this is wanted. */
  found(settlement: Settlement): Promise<string | undefined>
  view(): Promise<TunnelView>
}

async function site(context: TestContext): Promise<Site> {
  const machine = tunnelMachine()
  context.after(() => machine[Symbol.dispose]())
  const { root } = machine
  const session = localSession(machine.pool)
  let known: string | null = null
  const view = async (): Promise<TunnelView> => {
    const { source, args, read } = tunnelQuestion(root)
    const { exitCode, stdout } = await session.run(script(source, ...(args ?? [])))
    const found = read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
    return found ?? assert.fail('no answer')
  }
  return {
    machine,
    view,
    settle: async (settlement) => {
      known = await session.ask(ownKey, { root, known, others: [] })
      await session.ask(settlement.kind === 'hub' ? settleHub : settlePeer, { root, ...settlement })
    },
    found: async ({ configuration }) =>
      compareStart(tunnelFiles(known ?? '', configuration), await view())?.observed ?? undefined,
  }
}

const START = 'other configuration after a start'

test('each file that the next start of a tunnel reads is compared while it runs [DRF-035]', async (context) => {
  const { machine, settle, found } = await site(context)
  const peer = peerOf('203.0.113.9', true)
  await settle(peer)
  assert.equal(await found(peer), undefined)
  const own = (path: string): string => machine.read(path) ?? assert.fail(path)
  const [conf, key, hook] = [own(CONF), own(KEY), own(HOOK)]
  const harms: Readonly<Record<string, () => void>> = {
    'no configuration': () => machine.remove(CONF),
    'no key': () => machine.remove(KEY),
    'a key that others read': () => machine.write(KEY, key, 0o644),
    'another key': () => {
      machine.write(KEY, OTHER)
      machine.write(CONF, conf.replace(key.trim(), OTHER))
    },
    'another key in the configuration': () => machine.write(CONF, conf.replace(key.trim(), OTHER)),
    'a line at the end': () => machine.write(CONF, `${conf}PersistentKeepalive = 1\n`),
    'no hook': () => machine.remove(HOOK),
    'another hook': () => machine.write(HOOK, `${hook}exit 0\n`, 0o700),
  }
  for (const [harm, apply] of Object.entries(harms)) {
    apply()
    assert.equal(await found(peer), START, harm)
    machine.write(CONF, conf)
    machine.write(KEY, key)
    machine.write(HOOK, hook, 0o700)
  }
  assert.equal(await found(peer), undefined)
})

for (const [what, settlement] of [
  ['the hub', HUB],
  ['a peer without roles', peerOf('203.0.113.9', false)],
] as const)
  test(`files that are gone while the tunnel runs are found, and a converge makes them again: ${what} [DRF-035]`, async (context) => {
    const { machine, settle, found, view } = await site(context)
    await settle(settlement)
    assert.equal(await found(settlement), undefined)
    // The running tunnel gives its key back.
    machine.set('private', machine.read(KEY))
    for (const path of [CONF, KEY, HOOK]) machine.remove(path)
    assert.equal(await found(settlement), START)
    await settle(settlement)
    assert.equal(await found(settlement), undefined)
    assert.equal((await view()).isUp, true)
  })

test('a peer that would look for the hub where it was is found, and one whose resolver alone differs is not [DRF-035]', async (context) => {
  const { settle, found } = await site(context)
  await settle(peerOf('203.0.113.9', false))
  assert.equal(await found(peerOf('203.0.113.10', false)), START)
  assert.equal(await found(peerOf('203.0.113.9', true)), undefined)
})

test('a change that was cut off is found once no change can take that long, and a converge ends it [DRF-035]', async (context) => {
  const { machine, settle, found } = await site(context)
  const peer = peerOf('203.0.113.9', true)
  await settle(peer)
  machine.write(PREVIOUS, 'what ran before')
  assert.equal(await found(peer), undefined)
  const earlier = Date.now() / 1000 - 400
  utimesSync(join(machine.root, PREVIOUS), earlier, earlier)
  assert.equal(await found(peer), 'unfinished change')
  await settle(peer)
  assert.equal(machine.read(PREVIOUS), undefined)
  assert.equal(await found(peer), undefined)
})
