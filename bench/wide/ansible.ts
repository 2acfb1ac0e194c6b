import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../../lab/index.ts'
import { playbook } from './playbook.ts'
import type { WideFleet, WideNode } from './fleet.ts'

const FOLDER = '/root/wide'

/** Ansible on the gateway's machine, ready for all Nodes of a fleet. */
export interface Ansible {
  /** Opens the connections that stay open. */
  ping(): Promise<unknown>
  /** Throws unless every Node was reached and nothing was wrong or changed. */
  playbook(mode: 'apply' | 'check'): Promise<void>
}

/**
 * On the gateway's machine, so that it goes the same way as the gateway does: over the tunnel, as the managed user,
 * to pinned host keys. Pipelining and kept connections are on, facts are not gathered.
 */
export async function prepareAnsible({ gateway, hosts, nodes }: WideFleet, forks: number): Promise<Ansible> {
  const { host } = gateway
  const folder = join(host.root, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const key = await keyOf(host)
  const members = nodes.map((node) => ({ node, host: hostOf(hosts, node) }))
  for (const member of members) letIn(member.host, key)
  const facts = await Promise.all(
    members.map(async (member) => ({ ...member, digests: await digestsOn(member.host) })),
  )
  const files = {
    'ansible.cfg': configuration(forks),
    known_hosts: members.map((member) => knownHost(member.host, member.node)).join(''),
    'inventory.json': JSON.stringify(
      inventory(facts, await host.run(['wg', 'show', 'fleet', 'public-key'])),
      null,
      2,
    ),
    'playbook.json': JSON.stringify(playbook, null, 2),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const run = (...words: readonly string[]): Promise<string> =>
    host.run(['env', `ANSIBLE_CONFIG=${FOLDER}/ansible.cfg`, ...words], { timeoutSeconds: 600 })
  return {
    ping: () => run('ansible', 'all', '-m', 'ansible.builtin.ping'),
    playbook: async (mode) => {
      const flags = mode === 'check' ? ['--check'] : []
      requireUnchanged(await run('ansible-playbook', ...flags, `${FOLDER}/playbook.json`), nodes)
    },
  }
}

const configuration = (forks: number): string => `[defaults]
inventory = ${FOLDER}/inventory.json
forks = ${forks}
gathering = explicit
interpreter_python = /usr/bin/python3
remote_user = fleet
private_key_file = ${FOLDER}/key
timeout = 60

[privilege_escalation]
become = True

[ssh_connection]
pipelining = True
ssh_args = -o ControlMaster=auto -o ControlPersist=600s -o UserKnownHostsFile=${FOLDER}/known_hosts
`

interface Facts {
  readonly node: WideNode
  /** As sha256sum writes them. */
  readonly digests: string
}

const inventory = (facts: readonly Facts[], hubKey: string): unknown => ({
  all: {
    vars: { hub_key: hubKey.trim() },
    hosts: Object.fromEntries(
      facts.map(({ node, digests }) => [
        node.name,
        { ansible_host: node.wireguard_ip, tunnel: node.wireguard_ip, digests },
      ]),
    ),
  },
})

/** What Doctor compares on a Node: executable, trust, and the files of tunnel, agent and managed user. */
const FILES = [
  '/opt/fleet/bin/fleet',
  '/usr/local/share/ca-certificates/fleet-gateway.crt',
  '/etc/wireguard/fleet.conf',
  '/etc/wireguard/fleet.hook',
  '/etc/wireguard/fleet.dns-link',
  '/etc/sudoers.d/fleet-fleet',
  '/etc/systemd/system/fleet-agent.service',
]

const digestsOn = (host: Host): Promise<string> => host.run(['sha256sum', ...FILES])

async function keyOf(host: Host): Promise<string> {
  const path = `${FOLDER}/key`
  await host.run(['sh', '-c', `test -e ${path} || ssh-keygen -q -t ed25519 -N '' -f ${path}`])
  return host.run(['cat', `${path}.pub`])
}

function letIn(host: Host, key: string): void {
  const file = join(host.root, 'home/fleet/.ssh/authorized_keys')
  if (!readFileSync(file, 'utf8').includes(key)) appendFileSync(file, key)
}

function knownHost(host: Host, { wireguard_ip }: WideNode): string {
  const [type, key] = readFileSync(join(host.root, 'etc/ssh/ssh_host_ed25519_key.pub'), 'utf8').split(' ')
  return `${wireguard_ip} ${type} ${key}\n`
}

function hostOf(hosts: readonly Host[], { name }: WideNode): Host {
  const host = hosts.find((one) => one.name === name)
  if (!host) throw new Error(`the Node ${name} has no host`)
  return host
}

const RECAP = /^(\S+)\s+: ok=\d+\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)/gm

function requireUnchanged(said: string, nodes: readonly WideNode[]): void {
  const clean = [...said.matchAll(RECAP)].filter((counts) => counts.slice(2).every((count) => count === '0'))
  if (clean.length !== nodes.length) throw new Error(`the playbook found another state:\n${said}`)
}
