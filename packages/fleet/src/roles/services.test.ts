import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RoleName, roleNames } from '@fleet/contract'
import type { Command } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import {
  answerText,
  fakeCall,
  fakeNodeServices,
  nodeRecord,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { type NodeSession, makeSession, type NodeRecord } from '#/nodes/api.ts'
import type { RoleServices } from '#/roles/api.ts'

interface World extends AsyncDisposable {
  readonly services: RoleServices
  readonly calls: string[]
  clusterTld: string | null
  /** Where a build of the web server keeps a file that it replaces. */
  kept: string | undefined
}

async function startWorld(): Promise<World> {
  const store = await openTestStore()
  const { firewall, calls } = fakeNodeServices()
  const said =
    (what: string) =>
    async (session: Pick<NodeSession, 'node'>): Promise<void> =>
      void calls.push(`${what} ${session.node.name}`)
  const world: Pick<World, 'clusterTld' | 'calls' | 'kept'> = { clusterTld: null, calls, kept: undefined }
  const real = testDomains({ store })
  const { services } = testDomains(
    { store },
    {
      firewall: { ...real.firewall, firewall: { ...real.firewall.firewall, onNodes: firewall } },
      clusters: {
        ...real.clusters,
        membership: { ...real.clusters.membership, tldOf: async () => world.clusterTld },
      },
      network: {
        ...real.network,
        tunnel: { ...real.network.tunnel, publish: async () => calls.push('hub') > 0 },
      },
      dns: { ...real.dns, ensure: said('dns') },
      php: {
        ...real.php,
        converge: async (session) => {
          calls.push(`pools ${session.node.name}`)
          return { outcome: 'applied', skipped: [] }
        },
        withdraw: said('no pools'),
      },
      webServer: {
        ...real.webServer,
        build: async (session, publisher, onKept) => {
          if (world.kept !== undefined) onKept?.(world.kept)
          calls.push(`${publisher} sites ${session.node.name}`)
          return 'applied'
        },
      },
      tools: {
        ...real.tools,
        toolManagers: { ...real.tools.toolManagers, ensureComposer: said('composer') },
      },
      websocket: {
        ...real.websocket,
        requireCapable: said('websocket capable'),
        convergence: ['files', 'answer'].map((name) => ({ name, run: said(`websocket ${name}`) })),
        removal: [{ name: 'server', run: said('websocket server') }],
      },
    },
  ).roles
  return Object.assign(world, { services, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() })
}

const HEALTHY: readonly string[] = [
  answerText({ missing: '', end: 'yes' }),
  answerText({ outcome: 'running' }),
  answerText({ ready: 'yes' }),
  answerText({ root: 'accepted' }),
  '26.1.5\n',
]

/** A machine on which everything is as it should be, or where one command fails. */
function machineWith(
  broken?: string,
  node: Partial<NodeRecord> = {},
): NodeSession & { readonly asked: string[] } {
  const asked: string[] = []
  const answer = async (command: Command): Promise<CommandResult> => {
    asked.push(command.shown)
    const fails = broken !== undefined && command.shown.includes(broken)
    const text = HEALTHY.find((_, at) => command.shown.includes(WORDS[at] ?? '')) ?? ''
    return { signal: null, exitCode: fails ? 1 : 0, stdout: Buffer.from(text), stderr: Buffer.alloc(0) }
  }
  const base = { call: fakeCall(), node: nodeRecord({ tld: 'web.test', ...node }), login: 'root' }
  return { ...makeSession({ ...base, send: (_call, command) => answer(command) }), asked }
}
const WORDS = ['missing packages', 'start services', 'make directories', 'apps root', 'docker version']

const converge = async (services: RoleServices, session: NodeSession, role: RoleName): Promise<void> => {
  for (const step of services.convergence(role)) await step.run(session)
}

test('each role that is served has its steps, in this order, and works without those that are optional [NODE-054, ROLE-006, ROLE-035]', async () => {
  await using world = await startWorld()
  const steps = (list: ReturnType<RoleServices['convergence']>): string =>
    list.map(({ name, isOptional }) => (isOptional ? `${name}?` : name)).join(' ')
  assert.deepEqual(
    roleNames.map((role) => `${role}: ${steps(world.services.convergence(role))}`),
    [
      'gateway: firewall',
      'vpn: packages firewall hub dns',
      'app-dev: packages services php web-server directories apps-root composer?',
      'app-prod: packages services web-server directories composer?',
      'database: packages services engine',
      'ingress: packages services routers web-server firewall',
      'router: packages services firewall certificates workloads web-server',
      'websocket: firewall files answer',
      'metrics: capability',
      'analytics: capability',
    ],
  )
  assert.equal(steps(world.services.removal('gateway', { purgeData: false })), 'firewall')
  assert.equal(steps(world.services.removal('app-dev', { purgeData: false })), 'php')
  assert.equal(
    steps(world.services.removal('router', { purgeData: false })),
    'withdrawal-grace web-server certificates firewall',
  )
  assert.equal(steps(world.services.removal('ingress', { purgeData: false })), 'web-server firewall routers')
})

test('a role that replaces the Caddyfile of a machine says where the earlier one is kept', async () => {
  await using world = await startWorld()
  const saidBy = async (role: RoleName) =>
    Promise.all(
      world.services.convergence(role).map(async (step) => (await step.run(machineWith())) ?? []),
    ).then((each) => each.flat())
  assert.deepEqual(await saidBy('app-dev'), [])
  world.kept = '/etc/caddy/fleet-backups/20261130T144010Z/Caddyfile'
  for (const role of ['app-dev', 'app-prod', 'ingress'] as const) {
    const [sentence = '', ...others] = await saidBy(role)
    assert.match(
      sentence,
      /^The Caddyfile that was on web-1 before is kept as \/etc\/caddy\/fleet-backups\/20261130T144010Z\/Caddyfile: /,
    )
    assert.deepEqual(others, [])
  }
})

test('a role whose services nobody can manage is refused by name, and so is every role on macOS [ROLE-009]', async () => {
  await using world = await startWorld()
  for (const role of ['metrics', 'analytics'] as const) {
    const refusal = { code: 'node.capability_missing', details: { capability: role } }
    await assert.rejects(world.services.requireCapable(machineWith(), role), refusal)
    await assert.rejects(converge(world.services, machineWith(), role), refusal)
    const [removal] = world.services.removal(role, { purgeData: true })
    await assert.rejects(Promise.resolve(removal?.run(machineWith())), refusal)
  }
  const macos = machineWith(undefined, { platform: 'macos' })
  await assert.rejects(world.services.requireCapable(macos, 'database'), { code: 'node.capability_missing' })
  await world.services.requireCapable(machineWith(), 'database')
})

test('app-dev needs a top-level domain of its own or of its active Cluster [NODE-062, ROLE-004, RTE-033, RTE-034]', async () => {
  await using world = await startWorld()
  const bare = machineWith(undefined, { tld: null })
  await assert.rejects(world.services.requireCapable(bare, 'app-dev'), { code: 'node.tld_required' })
  await world.services.requireCapable(bare, 'app-prod')
  world.clusterTld = 'lab'
  await world.services.requireCapable(bare, 'app-dev')
  world.clusterTld = null
  await world.services.requireCapable(machineWith(), 'app-dev')
})

test('gateway and vpn are made of the firewall, the hub and its DNS, which needs one program [ROLE-003, ROLE-035]', async () => {
  await using world = await startWorld()
  const session = machineWith()
  await converge(world.services, session, 'gateway')
  await converge(world.services, session, 'vpn')
  for (const step of world.services.removal('gateway', { purgeData: false })) await step.run(session)
  assert.deepEqual(world.calls, [
    'firewall.applyRole.gateway web-1',
    'firewall.applyRole.vpn web-1',
    'hub',
    'dns web-1',
    'firewall.withdrawRole.gateway web-1',
  ])
  assert.deepEqual(session.asked, [`script 'find missing packages' dnsmasq-base`])
})

test('websocket opens its port before the gateway asks its server, and closes it after the server has ended [ROLE-010, ROLE-036]', async () => {
  await using world = await startWorld()
  const session = machineWith()
  await world.services.requireCapable(session, 'websocket')
  await converge(world.services, session, 'websocket')
  for (const step of world.services.removal('websocket', { purgeData: false })) await step.run(session)
  assert.deepEqual(world.calls, [
    'websocket capable web-1',
    'firewall.applyRole.websocket web-1',
    'websocket files web-1',
    'websocket answer web-1',
    'websocket server web-1',
    'firewall.withdrawRole.websocket web-1',
  ])
})

test('the role app-dev publishes its PHP pools before its sites, and its removal withdraws them [RTX-119]', async () => {
  await using world = await startWorld()
  const session = machineWith()
  await converge(world.services, session, 'app-dev')
  assert.deepEqual(world.calls, ['pools web-1', 'app-dev sites web-1', 'composer web-1'])
  for (const step of world.services.removal('app-dev', { purgeData: false })) await step.run(session)
  assert.equal(world.calls.at(-1), 'no pools web-1')
})

const COMMANDS: Readonly<Partial<Record<RoleName, readonly string[]>>> = {
  database: [
    `script 'find missing packages' 'docker.io|docker-ce' 'docker-cli|docker-ce-cli?'`,
    `script 'start services' docker.service`,
    `timeout 45 docker version --format '{{.Server.Version}}'`,
  ],
  'app-dev': [
    `script 'find missing packages' acl caddy composer git php-bcmath php-cli php-curl php-fpm php-gd php-intl php-mbstring php-mysql php-pgsql php-sqlite3 php-xml php-zip unzip`,
    `script 'start services' caddy.service 'php*-fpm.service'`,
    `script 'make directories' /etc/fleet /home`,
    `script 'check the apps root' /home/fleet/apps create`,
  ],
}

for (const [role, commands] of Object.entries(COMMANDS)) {
  test(`${role} on a machine that has it costs ${commands.length} commands [ROLE-006]`, async () => {
    await using world = await startWorld()
    const session = machineWith()
    await converge(world.services, session, role === 'database' ? 'database' : 'app-dev')
    assert.deepEqual(session.asked, commands)
  })
}

const BROKEN = {
  'missing packages': 'node_role.package_failed',
  'start services': 'node_role.service_failed',
  'make directories': 'node_role.directory_unsafe',
  'apps root': 'node.settings_root_failed',
  'docker version': 'node_role.engine_unavailable',
} as const

for (const [command, code] of Object.entries(BROKEN)) {
  test(`where ${command} fails, the code is ${code} [ROLE-026]`, async () => {
    await using world = await startWorld()
    const role = command === 'docker version' ? 'database' : 'app-dev'
    await assert.rejects(converge(world.services, machineWith(command), role), { code })
  })
}
