import { test } from 'node:test'
import assert from 'node:assert/strict'
import { CodedError } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import fc from 'fast-check'
import { type Packet, arbitraryForeign, arbitraryValues, verdictOn } from '#/firewall/packets.test.ts'
import { blockOf, formatRulesFile, parseRulesFile } from '#/firewall/ufw/rules-file.ts'
import { isSameRule } from '#/firewall/ufw/rule.ts'
import { rulesOf } from '#/firewall/ufw/state.ts'
import {
  EMPTY_RULES,
  EMPTY_RULES6,
  type FirewallWorld,
  startFirewallWorld,
  TUNNEL_ADDRESS,
} from '#/firewall/world.test.ts'

const ROLES = ['gateway', 'vpn', 'metrics', 'ingress', 'app-dev'] as const

const name = fc.constantFrom('a', 'b', 'c')
const operation = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), name, values: arbitraryValues }),
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({
    kind: fc.constantFrom('apply' as const, 'withdraw' as const),
    role: fc.constantFrom(...ROLES),
  }),
  fc.record({
    kind: fc.constantFrom('bootstrap' as const, 'members' as const, 'open' as const, 'close' as const),
  }),
  fc.record({
    kind: fc.constant('fault' as const),
    fault: fc.constantFrom('storage_full' as const, 'forgets' as const),
  }),
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** SSH of the gateway over the tunnel, and the handshake of a peer with the hub. */
const ssh: Packet = { from: '10.44.0.1', to: TUNNEL_ADDRESS, by: 'fleet', protocol: 'tcp', port: 22 }

async function play({ domain, ufw, nodes }: FirewallWorld, id: number, step: Operation): Promise<void> {
  const call = fakeCall()
  const { handlers, firewall } = domain
  const node = (await nodes.nodes.find(id)) ?? assert.fail()
  const session = nodes.nodes.sessions.overTunnel(call, node)
  const { onNodes } = firewall
  if ('fault' in step) {
    if (step.fault === 'forgets') ufw.forgets = true
    else ufw.refusal = step.fault
  } else if ('values' in step) {
    const { action, ...values } = step.values
    const input = { node: id, name: step.name, ...values } as never // The arbitraries have the words of the contract.
    await handlers[action === 'allow' ? 'node:firewall:allow' : 'node:firewall:deny']({ call, input })
  } else if ('name' in step)
    await handlers['node:firewall:remove']({ call, input: { node: id, name: step.name, offline: false } })
  else if ('role' in step)
    await (step.kind === 'apply' ? onNodes.applyRole : onNodes.withdrawRole)(session, step.role)
  else if (step.kind === 'bootstrap') await onNodes.bootstrap(session, 22)
  else if (step.kind === 'members') await onNodes.admitMembers(session)
  else if (step.kind === 'open') await onNodes.openPublicSsh(session)
  else await onNodes.closePublicSsh(session)
}

test('no sequence of operations, with or without faults, closes the way of the gateway over the tunnel', async () => {
  await using world = await startFirewallWorld()
  const { id } = await world.addMachine()
  const sequences = fc.tuple(
    fc.array(arbitraryForeign, { maxLength: 4 }),
    fc.array(operation, { maxLength: 14 }),
  )
  await fc.assert(
    fc.asyncProperty(sequences, async ([foreign, steps]) => {
      await world.store.db.deleteFrom('firewall_rules').execute()
      const empty = parseRulesFile(EMPTY_RULES, 'ipv4')
      const blocks = foreign.map((rule) => blockOf(rule, 'ipv4'))
      world.ufw.backend = 'active'
      world.ufw.refusal = undefined
      world.ufw.forgets = false
      world.ufw.take(formatRulesFile({ ...empty, blocks }), EMPTY_RULES6)
      world.ufw.load()
      await play(world, id, { kind: 'members' })
      for (const step of steps) {
        await play(world, id, step).catch((error: unknown) => {
          if (!(error instanceof CodedError)) throw error
        })
        const rules = rulesOf(parseRulesFile(world.ufw.rules, 'ipv4'))
        assert.equal(verdictOn(rules, ssh), 'in', JSON.stringify(step))
        const last = rules.slice(-foreign.length || rules.length)
        assert.ok(
          last.every((rule, at) => isSameRule(rule, foreign[at] ?? rule)),
          'strangers keep their rules',
        )
      }
    }),
    { numRuns: 60 },
  )
})
