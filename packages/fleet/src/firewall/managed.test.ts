import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managedFirewallRule } from '@fleet/contract'
import { ADMIT_MEMBERS, openPublicSsh } from '@fleet/contract/console-commands'
import { addNode, fakeCall, forEachDialect, type NodeGiven } from '@fleet/testing'
import { managedComment } from '#/firewall/comments.ts'
import { wantedFor } from '#/firewall/desired.ts'
import { edited } from '#/firewall/edit.ts'
import {
  managedRulesOf,
  members as membersRules,
  recovery as recoveryRules,
  TUNNEL,
} from '#/firewall/managed/table.ts'
import { ownRule } from '#/firewall/ufw/rule.ts'
import { blockOf, parseRulesFile } from '#/firewall/ufw/rules-file.ts'
import { type FirewallWorld, startFirewallWorld, TUNNEL_ADDRESS } from '#/firewall/world.test.ts'

async function managed(world: FirewallWorld, given: NodeGiven = {}) {
  const node = await world.addMachine(given)
  const { data } = await world.domain.handlers['node:firewall:managed']({
    call: fakeCall(),
    input: { node: node.id },
  })
  for (const rule of data) managedFirewallRule.parse(rule)
  assert.deepEqual(world.ufw.asked, [])
  return data
}

const onTunnel = { source: 'any', destination: TUNNEL_ADDRESS, interface: 'fleet', direction: 'in' } as const
const outside = { source: 'any', destination: 'any', interface: null, direction: 'in' } as const
const allow = { action: 'allow' } as const
const members = {
  name: 'wireguard-members',
  role: null,
  ...allow,
  ...onTunnel,
  port: 'any',
  protocol: 'any',
} as const

forEachDialect(
  'a Node without roles admits its members, and SSH from outside [FW-011, FW-027, FW-028, NODE-053, NODE-129]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const recovery = { name: 'public-ssh-recovery', role: null, ...allow, ...outside, protocol: 'tcp' }
    assert.deepEqual(await managed(world, { public_ssh_port: 2222, ssh_port: 23 }), [
      members,
      { ...recovery, port: '23' },
    ])
  },
)

forEachDialect(
  'with a role public SSH is closed, and each role adds its rules [FW-011, FW-030, NODE-066]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    assert.deepEqual(await managed(world, { roles: ['app-dev'] }), [members])
    const grafana = { role: 'metrics', ...onTunnel, port: '3000', protocol: 'tcp' } as const
    const dns = { name: 'vpn-dns', role: 'vpn', ...allow, port: '53' } as const
    const address = '10.44.0.12'
    assert.deepEqual(await managed(world, { roles: ['metrics', 'vpn', 'gateway'], wireguard_ip: address }), [
      { ...grafana, name: 'metrics-grafana-gateway', ...allow, source: '10.44.0.1', destination: address },
      { ...grafana, name: 'metrics-grafana-isolation', action: 'deny', destination: address },
      { ...members, destination: address },
      {
        name: 'gateway-https',
        role: 'gateway',
        ...allow,
        ...onTunnel,
        destination: address,
        port: '443',
        protocol: 'tcp',
      },
      { name: 'vpn-hub', role: 'vpn', ...allow, ...outside, port: '51820', protocol: 'udp' },
      { ...dns, ...onTunnel, destination: address, protocol: 'udp' },
      { ...dns, ...onTunnel, destination: address, protocol: 'tcp' },
      {
        name: 'vpn-forward',
        role: 'vpn',
        ...allow,
        source: 'any',
        destination: 'any',
        port: 'any',
        protocol: 'any',
        interface: 'fleet',
        direction: 'routed',
      },
    ])
  },
)

forEachDialect(
  'an Ingress is open to the public while a public Route is live on it [FW-029]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    assert.deepEqual(await managed(world, { roles: ['ingress'] }), [members])
    world.servesPublicRoutes = true
    const address = '10.44.0.12'
    const ingress = { role: 'ingress', ...allow, ...outside, protocol: 'tcp' } as const
    assert.deepEqual(await managed(world, { roles: ['ingress'], wireguard_ip: address }), [
      { ...members, destination: address },
      { ...ingress, name: 'ingress-http', port: '80' },
      { ...ingress, name: 'ingress-https', port: '443' },
    ])
  },
)

forEachDialect(
  'a grant changes nothing of what the firewall admits: whoever is on the tunnel reaches a Node [ACC-008, GRANT-002]',
  async (dialect) => {
    await using world = await startFirewallWorld(dialect)
    const [node, stranger] = [await world.addMachine({ roles: ['app-dev'] }), await addNode(world.store)]
    const input = { serving: node.id, consumer: stranger.id }
    const rules = async () => {
      const call = fakeCall()
      const { data } = await world.domain.handlers['node:firewall:managed']({
        call,
        input: { node: node.id },
      })
      return data
    }
    const before = await rules()
    assert.deepEqual(before[0], members)
    await world.nodes.handlers['node:access:add']({ call: fakeCall(), input })
    assert.deepEqual(await rules(), before)
    assert.deepEqual(world.ufw.asked, [])
  },
)

test('while no Node is the gateway nobody is let in to Grafana, and all others stay out', () => {
  const facts = {
    tunnelAddress: TUNNEL_ADDRESS,
    publicSshPorts: [22],
    hubPort: 51820,
    peerPort: 51820,
    websocketPort: 443,
    gatewayAddress: null,
    servesPublicRoutes: false,
    lan: null,
  }
  const grafana = (gatewayAddress: string | null) =>
    managedRulesOf({ ...facts, gatewayAddress }, ['metrics']).flatMap(({ name, rule }) =>
      name.startsWith('metrics-grafana') ? [[name, rule.action, rule.source]] : [],
    )
  const others = ['metrics-grafana-isolation', 'deny', 'any']
  assert.deepEqual(grafana(null), [others])
  assert.deepEqual(grafana('10.44.0.1'), [['metrics-grafana-gateway', 'allow', '10.44.0.1'], others])
})

test('what a person runs at the console of a machine makes rules that Fleet takes for its own', () => {
  const [admitting] = membersRules({ tunnelAddress: TUNNEL_ADDRESS })
  const [opening] = recoveryRules({ publicSshPorts: [2022] })
  assert.ok(admitting && opening)
  assert.equal(ADMIT_MEMBERS, `ufw allow in on ${TUNNEL} comment ${managedComment(admitting.name)}`)
  const { port, protocol } = opening.rule
  assert.equal(openPublicSsh(2022), `ufw allow ${port}/${protocol} comment ${managedComment(opening.name)}`)
})

test('a rule that a person made at the console goes when Fleet wants its own', () => {
  const typed = [
    ownRule({ action: 'allow', interfaceIn: TUNNEL, comment: managedComment('wireguard-members') }),
    ownRule({
      action: 'allow',
      protocol: 'tcp',
      port: '22',
      comment: managedComment('public-ssh-recovery'),
    }),
  ]
  const file = parseRulesFile('', 'ipv4')
  const opened = { ...file, blocks: typed.map((rule) => blockOf(rule, 'ipv4')) }
  const own = membersRules({ tunnelAddress: TUNNEL_ADDRESS })
  const wanted = wantedFor(['wireguard-members', 'public-ssh-recovery'], own)
  assert.deepEqual(
    edited(opened, { wanted }).blocks.map(({ rule }) => rule),
    own.map(({ rule }) => rule),
  )
})
