import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { test, type TestContext } from 'node:test'
import { CodedError, Secret } from '@fleet/kernel'
import { fakeExecutables, localPool, localSession, nameChanges, serviceHost } from '@fleet/testing'
import {
  ensureService,
  type ManagedService,
  sha256,
  stopService,
  removeService,
} from '#/managed-services/api.ts'

function startWorld(context: TestContext) {
  const host = serviceHost()
  const { root } = host
  const deps = { executables: fakeExecutables(), root }
  const session = localSession(host.pool)
  context.after(() => host[Symbol.dispose]())
  mkdirSync(host.at('etc/fleet'))
  return {
    ...host,
    ensure: async (service: ManagedService, force = false) =>
      (await ensureService(deps, session, service, { force })).outcome,
    stop: (service: ManagedService) => stopService(deps, session, service),
    remove: (service: ManagedService) => removeService(deps, session, service),
  }
}

/** What several services here have in common. */
const BASE = {
  ready: { kind: 'active', seconds: 1 },
  failure: (reason) => ({ code: 'node_role.service_failed', details: { reason } }),
} satisfies Partial<ManagedService>

const VERSIONS = '/etc/caddy/fleet-versions'
const MARKER = '# Managed by Fleet.'

/** A web server whose unit is the distribution's, with versions of one file behind a link. */
const webServer = (sites: string): ManagedService => ({
  ...BASE,
  name: 'caddy',
  folders: [
    { path: '/etc/caddy', mode: '755', keeping: 'shared' },
    { path: VERSIONS, mode: '755', keeping: 'own' },
    { path: '/run/lock/fleet', mode: '700', keeping: 'shared' },
  ],
  links: [{ path: '/etc/caddy/Caddyfile', backup: { folder: '/etc/caddy/fleet-backups', marker: MARKER } }],
  units: [{ name: 'caddy.service', file: 'foreign', isEnabled: true, onChange: 'reload' }],
  release: { folder: VERSIONS, keep: 2 },
  lock: { path: '/run/lock/fleet/caddy.lock', seconds: 5 },
  hooks: { check: { source: '[ -z "$2" ] || ! grep -q refused "$2/Caddyfile"' } },
  render: () => {
    const text = `${MARKER}\n${sites}\n`
    const id = sha256(text).slice(0, 32)
    return {
      units: {},
      links: { '/etc/caddy/Caddyfile': `${VERSIONS.slice('/etc/caddy/'.length)}/${id}/Caddyfile` },
      release: { id, files: { Caddyfile: text } },
    }
  },
})

function serving(context: TestContext) {
  const world = startWorld(context)
  world.systemd.addForeign('caddy.service')
  mkdirSync(world.at('run/lock'), { recursive: true })
  const restarts = (): readonly string[] =>
    world.systemd.calls().filter((call) => /^(?:restart|stop)/.test(call))
  const live = (): string | undefined => world.read('etc/caddy/Caddyfile')
  return { ...world, live, restarts }
}

test('a configuration is checked before it is switched to, and reloaded without a restart', async (context) => {
  const world = serving(context)
  assert.equal(await world.ensure(webServer('one.example')), 'applied')
  assert.equal(world.live(), `${MARKER}\none.example\n`)
  const starts = world.restarts().length
  assert.equal(await world.ensure(webServer('two.example')), 'applied')
  assert.equal(world.live(), `${MARKER}\ntwo.example\n`)
  assert.deepEqual([world.systemd.reloads(), world.restarts().length], [['caddy.service'], starts])
  const before = [readlinkSync(world.at('etc/caddy/Caddyfile')), readdirSync(world.at(VERSIONS))]
  await assert.rejects(world.ensure(webServer('refused')), { code: 'node_role.service_failed' })
  assert.deepEqual([readlinkSync(world.at('etc/caddy/Caddyfile')), readdirSync(world.at(VERSIONS))], before)
  assert.deepEqual(world.systemd.reloads(), ['caddy.service'])
})

test('below a folder that others may change nothing is written, and the error names the folder; a sticky one of root is none of these', async (context) => {
  const world = serving(context)
  const folder = world.at('etc/caddy')
  mkdirSync(folder)
  const refusals = [() => chmodSync(folder, 0o775), () => chmodSync(folder, 0o757)]
  if (process.getuid?.() === 0) refusals.push(() => chownSync(folder, 1, 0))
  for (const open of refusals) {
    chmodSync(folder, 0o755)
    open()
    await assert.rejects(world.ensure(webServer('one.example')), (error) => {
      assert.ok(error instanceof CodedError)
      const { reason, folder: named } = error.details ?? {}
      assert.equal(reason, 'folder_unsafe')
      assert.match(String(named), /^\/etc\/caddy belongs to \S+, mode \d+$/)
      return true
    })
    assert.deepEqual(readdirSync(folder), [])
  }
  if (process.getuid?.() === 0) chownSync(folder, 0, 0)
  chmodSync(folder, 0o1777)
  assert.equal(await world.ensure(webServer('one.example')), 'applied')
  chmodSync(folder, 0o777)
  await assert.rejects(world.ensure(webServer('one.example')), { code: 'node_role.service_failed' })
})

test('what is as declared costs one round trip and asks systemd for nothing', async (context) => {
  const world = serving(context)
  await world.ensure(webServer('one.example'))
  const before = world.pool.executed.length
  assert.equal(await world.ensure(webServer('one.example')), 'unchanged')
  assert.equal(world.pool.executed.length, before + 1)
})

test('a reload that fails brings the previous configuration back, and says which unit and why', async (context) => {
  const world = serving(context)
  await world.ensure(webServer('one.example'))
  const [target, versions] = [
    readlinkSync(world.at('etc/caddy/Caddyfile')),
    readdirSync(world.at(VERSIONS)).toSorted(),
  ]
  world.write('systemd/journal/caddy.service', 'loading\n\u001B[31mtoken=abcdef123456 is no address\n')
  world.systemd.break('caddy.service')
  await assert.rejects(world.ensure(webServer('two.example')), {
    code: 'node_role.service_failed',
    details: {
      node: { id: 7, name: 'web-1' },
      reason: 'start_failed',
      unit: 'caddy.service',
      state: 'active dead',
      journal: ['loading', '[31mtoken=[REDACTED] is no address'],
    },
  })
  assert.equal(readlinkSync(world.at('etc/caddy/Caddyfile')), target)
  assert.deepEqual(readdirSync(world.at(VERSIONS)).toSorted(), versions)
  world.systemd.clearFaults()
  assert.equal(await world.ensure(webServer('two.example')), 'applied')
})

test('a reload of other files neither rereads the units nor waits whether what it began stays', async (context) => {
  const world = serving(context)
  world.install('sleep', `echo "$1" >>'${world.at('slept')}'`)
  const told = (): readonly unknown[] => [
    world.systemd.calls().filter((call) => call === 'daemon-reload').length,
    world.read('slept')?.split('\n').filter(Boolean) ?? [],
  ]
  await world.ensure(webServer('one.example'))
  const [rereads, slept] = told()
  assert.deepEqual(slept, ['0.5'], 'it was started')
  await world.ensure(webServer('two.example'))
  assert.deepEqual(told(), [rereads, slept])
  assert.equal(world.live(), `${MARKER}\ntwo.example\n`)
})

test('a file of somebody else is kept once, and comes back when the first start fails', async (context) => {
  const world = serving(context)
  world.write('etc/caddy/Caddyfile', 'mine.example\n')
  world.systemd.break('caddy.service')
  await assert.rejects(world.ensure(webServer('one.example')), { code: 'node_role.service_failed' })
  assert.equal(world.live(), 'mine.example\n')
  assert.ok(lstatSync(world.at('etc/caddy/Caddyfile')).isFile())
  world.systemd.clearFaults()
  await world.ensure(webServer('one.example'))
  await world.ensure(webServer('two.example'))
  const backups = readdirSync(world.at('etc/caddy/fleet-backups'))
  const kept = backups.map((time) => world.read(`etc/caddy/fleet-backups/${time}/Caddyfile`))
  assert.deepEqual(new Set(kept), new Set(['mine.example\n']))
})

test('as many versions are kept as declared, by their last use', async (context) => {
  const world = serving(context)
  for (const sites of ['a', 'b', 'c', 'a', 'd']) await world.ensure(webServer(sites))
  const kept = readdirSync(world.at(VERSIONS)).map((id) => world.read(`${VERSIONS}/${id}/Caddyfile`))
  assert.deepEqual(new Set(kept), new Set(['a', 'c', 'd'].map((sites) => `${MARKER}\n${sites}\n`)))
})

const unitText = (line: string): string => `[Unit]\nDescription=test\n\n[Service]\n${line}\n`

/** A job that a timer starts: its own unit is never started with it. */
const schedule: ManagedService = {
  ...BASE,
  name: 'schedule-7',
  units: [
    { name: 'fleet-schedule-7.service', file: 'own', isEnabled: false, onChange: 'none' },
    { name: 'fleet-schedule-7.timer', file: 'own', isEnabled: true, onChange: 'restart' },
  ],
  render: () => ({
    units: {
      'fleet-schedule-7.service': unitText('Type=oneshot'),
      'fleet-schedule-7.timer': '[Timer]\nOnCalendar=daily\n',
    },
  }),
}

test('a timer is enabled and started, and what it starts is not', async (context) => {
  const world = startWorld(context)
  await world.ensure(schedule)
  assert.ok(world.systemd.isActive('fleet-schedule-7.timer'))
  assert.ok(world.systemd.isEnabled('fleet-schedule-7.timer'))
  assert.ok(!world.systemd.isActive('fleet-schedule-7.service'))
  assert.ok(!world.systemd.isEnabled('fleet-schedule-7.service'))
  assert.equal(await world.ensure(schedule), 'unchanged')
})

const POOLS = ['one', 'two']
const CONFIGURATION = '/etc/fleet/pools'

/** Several units of one kind, a secret and a folder with data that outlives them. */
const pools = (password: string): ManagedService => ({
  ...BASE,
  name: 'pools',
  secrets: [new Secret(password)],
  folders: [
    { path: '/etc/fleet', mode: '755', keeping: 'shared' },
    { path: CONFIGURATION, mode: '750', group: userInfo().username, keeping: 'own' },
    { path: '/var/lib/pools', mode: '700', keeping: 'kept' },
  ],
  files: POOLS.map((name) => ({
    path: `${CONFIGURATION}/${name}.conf`,
    mode: '640',
    group: userInfo().username,
  })),
  units: POOLS.map((name) => ({
    name: `pool-${name}.service`,
    file: 'own' as const,
    isEnabled: true,
    onChange: 'restart' as const,
  })),
  render: () => ({
    files: Object.fromEntries(
      POOLS.map((name) => [`${CONFIGURATION}/${name}.conf`, new Secret(`${name} ${password}\n`)]),
    ),
    units: Object.fromEntries(POOLS.map((name) => [`pool-${name}.service`, unitText(`ExecStart=/${name}`)])),
  }),
})

test('many units of one kind share one declaration: files with mode and owner, all of them running', async (context) => {
  const world = startWorld(context)
  mkdirSync(world.at('var/lib'), { recursive: true })
  await world.ensure(pools('password-1'))
  assert.equal(statSync(world.at(`${CONFIGURATION}/one.conf`)).mode & 0o777, 0o640)
  assert.ok(POOLS.every((name) => world.systemd.isActive(`pool-${name}.service`)))
  world.systemd.kill('pool-two.service')
  assert.equal(await world.ensure(pools('password-1')), 'applied')
  assert.ok(world.systemd.isActive('pool-two.service'))
})

test('one unit that does not start brings all files back and both services; no secret gets into the error', async (context) => {
  const world = startWorld(context)
  mkdirSync(world.at('var/lib'), { recursive: true })
  await world.ensure(pools('password-1'))
  world.write('systemd/journal/pool-two.service', 'cannot log in with password-2\n')
  world.write('systemd/broken/pool-two.service', '')
  const failing = world.ensure(pools('password-2'))
  await assert.rejects(failing, (error: Error & { details: { unit: string; journal: string[] } }) => {
    assert.equal(error.details.unit, 'pool-two.service')
    assert.ok(!JSON.stringify(error.details).includes('password-2'))
    return true
  })
  assert.equal(world.read(`${CONFIGURATION}/one.conf`), 'one password-1\n')
  assert.ok(world.systemd.isActive('pool-one.service'))
  assert.deepEqual(readdirSync(world.at(CONFIGURATION)).toSorted(), ['one.conf', 'two.conf'])
})

test('removal takes units, files and own folders; it keeps and names what is declared so', async (context) => {
  const world = startWorld(context)
  mkdirSync(world.at('var/lib'), { recursive: true })
  await world.ensure(pools('password-1'))
  world.write('var/lib/pools/data', 'precious')
  await world.stop(pools('password-1'))
  assert.ok(POOLS.every((name) => !world.systemd.isActive(`pool-${name}.service`)))
  assert.ok(world.read(`${CONFIGURATION}/one.conf`))
  for (const _again of [1, 2]) assert.deepEqual(await world.remove(pools('password-1')), ['/var/lib/pools'])
  assert.equal(world.read('var/lib/pools/data'), 'precious')
  assert.deepEqual(readdirSync(world.at('etc/systemd/system')), [])
  assert.equal(existsSync(world.at('etc/fleet')), false)
})

test('a process that never says that it is ready gives way to the one before it', async (context) => {
  const world = startWorld(context)
  const unit = 'fleet-x.service'
  const service = (text: string): ManagedService => ({
    ...BASE,
    name: 'x',
    units: [{ name: unit, file: 'own', isEnabled: true, onChange: 'restart' }],
    ready: { kind: 'reported', unit, file: '/run/x/ready', seconds: 1 },
    render: () => {
      const digest = sha256(text)
      const body = `RuntimeDirectory=x\nExecStart=/bin/x --configuration=${digest}`
      return { units: { [unit]: unitText(body) }, digest }
    },
  })
  await world.ensure(service('one'))
  world.systemd.mute(unit)
  await assert.rejects(world.ensure(service('two')), {
    code: 'node_role.service_failed',
    details: { node: { id: 7, name: 'web-1' }, reason: 'not_ready', unit, state: 'active dead', journal: [] },
  })
  world.systemd.clearFaults()
  assert.match(world.read(`etc/systemd/system/${unit}`) ?? '', new RegExp(sha256('one')))
  assert.equal(await world.ensure(service('two')), 'applied')
})

test('every name that a removal takes is flushed: no power cut brings a secret or a unit back', async (context) => {
  const world = startWorld(context)
  mkdirSync(world.at('var/lib'), { recursive: true })
  await world.ensure(pools('password-1'))
  // Keeps the folder above those of the service.
  world.write('etc/fleet/of-another', '')
  const names = nameChanges(world.root)
  const PATH = `${names.bin}:${world.systemd.env['PATH']}`
  const session = localSession(localPool({ home: world.root, env: { ...world.systemd.env, PATH } }))
  const deps = { executables: fakeExecutables(), root: world.root }
  await removeService(deps, session, pools('password-1'))
  assert.equal(existsSync(world.at(CONFIGURATION)), false)
  assert.deepEqual(
    names.unflushed().filter((folder) => !folder.startsWith(world.at('systemd/'))),
    [],
  )
})

test('files that cannot be written are a matter of the disk of the Node, by its name; nothing of them stays, and the identical request finishes', async (context) => {
  const world = serving(context)
  const service = webServer('one.example')
  const before = world.live()
  world.install('sync', '[ "$1" = --version ]')
  await assert.rejects(world.ensure(service), (error: CodedError) => {
    assert.deepEqual([error.code, error.details?.['reason']], ['node_role.service_failed', 'write_failed'])
    assert.match(error.message, /^The Node web-1 could not write the files of this service: its disk/)
    return true
  })
  assert.equal(world.live(), before)
  world.install('sync', 'PATH=/usr/bin:/bin exec sync "$@"')
  assert.equal(await world.ensure(service), 'applied')
})

test('where something failed the file systems without room are named, and one with room is not', async (context) => {
  const world = serving(context)
  world.install('sync', '[ "$1" = --version ]')
  const blocks = [
    '/dev/sda1 100000 99900 100 100% /',
    '/dev/sda1 100000 99900 100 100% /home',
    'tmpfs 100000 0 100000 0% /tmp',
  ]
  const inodes = ['/dev/sda1 5000 10 4990 1% /', 'srv 900 900 0 100% /srv', 'btrfs 0 0 0 - /home']
  const printed = (lines: readonly string[]) => lines.map((line) => `'${line}'`).join(' ')
  world.install(
    'df',
    `case $1 in *i) printf '%s\\n' Filesystem ${printed(inodes)} ;; *) printf '%s\\n' Filesystem ${printed(blocks)} ;; esac`,
  )
  await assert.rejects(world.ensure(webServer('one.example')), (error: CodedError) => {
    assert.deepEqual(error.details?.['full_file_systems'], ['/', '/srv'])
    assert.match(error.message, /No space is left on the Node web-1 at \/, \/srv /)
    assert.doesNotMatch(error.message, /may be full/)
    return true
  })
})
