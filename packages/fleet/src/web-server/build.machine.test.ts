import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { test } from 'node:test'
import { fail, type RoleName } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { script } from '@fleet/shell'
import type { NodeSession, Question } from '#/nodes/api.ts'
import { liveQuestion } from '#/web-server/checks/make.ts'
import { MARKER } from '#/web-server/caddyfile/render.ts'
import { versionOf } from '#/web-server/service/caddy.ts'
import { site, startWorld, type World } from '#/web-server/world.test.ts'

/** How a build failed: its code, stage and message. */
async function failureOf({ server, session }: World): Promise<string> {
  try {
    return await server.build(session, 'app-dev')
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return `${error.code} ${String(error.details?.['stage'])}: ${String(error.details?.['message'])}`
  }
}
const build = ({ server, session }: World) => server.build(session, 'app-dev')

test('the live file is a link into the version that is named by its digest; the second build changes nothing and costs one round trip [RTX-075, RTX-078]', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test')]
  assert.equal(await build(world), 'applied')
  const text = world.live() ?? ''
  const version = createHash('sha256').update(text).digest('hex').slice(0, 32)
  assert.equal(readlinkSync(world.at('etc/caddy/Caddyfile')), `fleet-versions/${version}/Caddyfile`)
  assert.equal(text.split('\n')[0], MARKER)
  assert.match(text, /# custom-proxy route-shop\.test\nhttps:\/\/shop\.test \{/)
  assert.match(
    world.read('etc/systemd/system/caddy.service.d/fleet.conf') ?? '',
    /After=.*wg-quick@fleet\.service/,
  )
  assert.match(world.read('etc/sysctl.d/60-fleet-caddy.conf') ?? '', /^net\.ipv4\.tcp_migrate_req = 1$/m)
  const [trips, reloads] = [world.pool.executed.length, world.systemd.reloads().length]
  assert.equal(await build(world), 'unchanged')
  assert.deepEqual([world.pool.executed.length - trips, world.systemd.reloads().length], [1, reloads])
})

test('a change is one reload and never a restart; the live version and nine others are kept [RTX-075, RTX-092]', async () => {
  await using world = await startWorld()
  await build(world)
  const started = world.systemd.calls().filter((call) => /^(?:re)?start/.test(call)).length
  for (let at = 0; at < 12; at += 1) {
    world.sites = [site(`shop-${at}.test`)]
    assert.equal(await build(world), 'applied')
  }
  assert.equal(world.systemd.reloads().length, 12)
  assert.equal(world.systemd.calls().filter((call) => /^(?:re)?start/.test(call)).length, started)
  assert.equal(world.versions().length, 10)
  assert.match(world.live() ?? '', /shop-11\.test/)
})

test('what somebody else put there, a link of theirs and a version edited by hand are kept as backups [RTX-077, RTE-166]', async () => {
  await using world = await startWorld()
  world.write('etc/caddy/Caddyfile', 'mine.example\n')
  world.sites = [site('shop.test')]
  await build(world)
  const [first] = world.backups()
  assert.equal(world.read(first ?? ''), 'mine.example\n')

  const live = readlinkSync(world.at('etc/caddy/Caddyfile'))
  world.write(`etc/caddy/${live}`, `${world.live() ?? ''}# by hand\n`)
  rmSync(world.at(first ?? ''))
  assert.equal(await build(world), 'applied')
  const edited = world.backups().map((path) => world.read(path))
  assert.ok(
    edited.some((text) => text?.endsWith('# by hand\n')),
    'the edited version is kept',
  )
  assert.doesNotMatch(world.live() ?? '', /by hand/)

  world.write('srv/other', 'theirs.example\n')
  rmSync(world.at('etc/caddy/Caddyfile'))
  symlinkSync(world.at('srv/other'), world.at('etc/caddy/Caddyfile'))
  for (const path of world.backups()) rmSync(world.at(path), { force: true })
  assert.equal(await build(world), 'applied')
  assert.ok(world.backups().some((path) => world.read(path) === 'theirs.example\n'))
  assert.equal(world.read('srv/other'), 'theirs.example\n')
})

test('a file that Caddy refuses is never served, and the error says what it said, masked [RTX-071, RTX-090]', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test')]
  await build(world)
  const [live, versions] = [world.live(), world.versions()]
  world.sites = [site('refused.test')]
  assert.equal(
    await failureOf(world),
    'app-dev.caddy_config_failed validate: Error: adapting config: refused.test is not welcome, token=[REDACTED]',
  )
  assert.deepEqual([world.live(), world.versions()], [live, versions])
  assert.equal(world.systemd.reloads().length, 0)
  if (process.getuid?.() === 0 && world.read('accounts') !== undefined)
    assert.deepEqual(new Set(world.read('accounts')?.split('\n').filter(Boolean)), new Set(['caddy']))
})

test('a reload that fails brings the previous version back and loads it [RTX-092]', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test')]
  await build(world)
  const [live, link] = [world.live(), readlinkSync(world.at('etc/caddy/Caddyfile'))]
  world.systemd.break('caddy.service')
  world.sites = [site('other.test')]
  assert.match(await failureOf(world), /^app-dev\.caddy_config_failed reload: Caddy rejected the file/)
  assert.deepEqual([world.live(), readlinkSync(world.at('etc/caddy/Caddyfile'))], [live, link])
  world.systemd.clearFaults()
  assert.equal(await build(world), 'applied')
  assert.match(world.live() ?? '', /other\.test/)
})

test('a reload that has no end holds no build up: the file is given to Caddy itself, and a file that is right already too', async () => {
  await using world = await startWorld()
  const { systemd } = world
  const isReloading = () => existsSync(world.at('systemd/reloading/caddy.service'))
  world.sites = [site('shop.test')]
  await build(world)
  systemd.hang('caddy.service')
  world.sites = [site('other.test')]
  assert.equal(await build(world), 'applied')
  assert.match(world.live() ?? '', /other\.test/)
  assert.deepEqual([isReloading(), world.read('handed')?.split('\n').length], [false, 2])
  systemd.hang('caddy.service')
  await build(world)
  assert.deepEqual([isReloading(), world.read('handed')?.split('\n').length], [false, 3])
  systemd.hang('caddy.service')
  world.sites = [site('taken.test')]
  assert.match(
    await failureOf(world),
    /reload: Error: listen tcp 127\.0\.0\.1:443: bind: address already in use$/,
  )
  assert.match(world.live() ?? '', /other\.test/)
})

test('each stage that fails is named: conflict, word, missing Caddy, missing address, silent Node [RTX-083, RTX-090, RTX-095]', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test', 'route-1'), site('shop.test', 'route-2')]
  assert.equal(
    await failureOf(world),
    'app-dev.caddy_config_failed render: custom-proxy route-1 and custom-proxy route-2 both serve shop.test at 127.0.0.1 port 443',
  )
  world.sites = [{ ...site('shop.test'), listener: { kind: 'tcp', addresses: ['203.0.113.9'] } }]
  assert.match(await failureOf(world), /addresses: the Node has no address 203\.0\.113\.9$/)
  world.sites = [site('shop.test')]
  world.install(undefined)
  assert.match(await failureOf(world), /release: Caddy is not installed on the Node\.$/)
  assert.equal(world.live(), undefined)
  world.sites = []
  assert.equal(await failureOf(world), 'unchanged')
  world.install('2.6.2')
  assert.equal(await failureOf(world), 'applied')
})

test('a lock that is not root’s alone is refused at its stage, and nothing is written: a link, a folder, another mode, of the file and of its folder [RTX-090, RTX-091]', async () => {
  await using world = await startWorld()
  world.sites = [site('old.test')]
  await build(world)
  const live = world.live()
  const [folder, lock] = [world.at('run/lock/fleet'), world.at('run/lock/fleet/caddy.lock')]
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.equal(lstatSync(lock).mode & 0o777, 0o600)
  world.sites = [site('shop.test')]
  const refused = async (what: RegExp): Promise<void> => {
    assert.match(await failureOf(world), what)
    assert.equal(world.live(), live)
  }
  for (const mode of [0o644, 0o660]) {
    chmodSync(lock, mode)
    await refused(
      / lock: \/run\/lock\/fleet\/caddy\.lock is a .*, mode 6[46][04]; it must be of root with mode 600\. Remove it/,
    )
    assert.equal(lstatSync(lock).mode & 0o777, mode)
  }
  rmSync(lock)
  symlinkSync(world.at('srv-target'), lock)
  await refused(/ lock: \/run\/lock\/fleet\/caddy\.lock is a symbolic link/)
  assert.equal(world.read('srv-target'), undefined)
  rmSync(lock)
  mkdirSync(lock)
  await refused(/ lock: \/run\/lock\/fleet\/caddy\.lock is a directory/)
  rmSync(lock, { recursive: true })
  for (const mode of [0o755, 0o770]) {
    chmodSync(folder, mode)
    await refused(
      / lock: \/run\/lock\/fleet is a directory of .*, mode 7\d\d; it must be of root with mode 700\./,
    )
    assert.equal(statSync(folder).mode & 0o777, mode)
  }
  rmSync(folder, { recursive: true })
  mkdirSync(world.at('elsewhere'), { mode: 0o700 })
  symlinkSync(world.at('elsewhere'), folder)
  await refused(/ lock: \/run\/lock\/fleet is a symbolic link/)
  rmSync(folder)
  assert.equal(await build(world), 'applied')
  assert.match(world.live() ?? '', /shop\.test/)
})

test('whoever asked for a build gets a code of its own; what Caddy said is cut at 2,000 bytes, between characters, and says so [RTX-093]', async () => {
  await using world = await startWorld()
  world.sites = [site('refused.test')]
  world.write('fake/caddy', CADDY_WITHOUT_END)
  chmodSync(world.at('fake/caddy'), 0o755)
  for (const publisher of ['app-dev', 'app-prod', 'router', 'ingress'] as const) {
    const failed: unknown = await world.server
      .build(world.session, publisher)
      .catch((error: unknown) => error)
    assert.ok(failed instanceof CodedError)
    assert.equal(failed.code, `${publisher}.caddy_config_failed`)
    const { node, stage, message } = failed.details ?? {}
    assert.deepEqual([node, stage], [{ id: world.session.node.id, name: 'web-1' }, 'validate'])
    assert.match(String(message), /^Error: ä+ … \(cut\)$/)
    const bytes = Buffer.byteLength(String(message))
    assert.ok(bytes <= 2000 && bytes > 1996, `${bytes} bytes`)
  }
})

test('a file of somebody else that was kept last is not kept again, an older one is', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test')]
  const mine = 'mine.example\n'
  world.write('etc/caddy/fleet-backups/20200101T000000Z/Caddyfile', mine)
  world.write('etc/caddy/Caddyfile', mine)
  assert.equal(await build(world), 'applied')
  assert.equal(world.backups().length, 1)
  world.write('etc/caddy/fleet-backups/20200102T000000Z/Caddyfile', 'theirs.example\n')
  rmSync(world.at('etc/caddy/Caddyfile'))
  world.write('etc/caddy/Caddyfile', mine)
  const kept: string[] = []
  const noting = () => world.server.build(world.session, 'app-dev', (path) => kept.push(path))
  assert.deepEqual([await noting(), await noting()], ['applied', 'unchanged'])
  assert.deepEqual(kept, [world.at(world.backups().at(-1) ?? '')], 'who builds is told once')
  assert.deepEqual(
    world.backups().map((path) => world.read(path)),
    [mine, 'theirs.example\n', mine],
  )
})

// Of two bytes each: one of them is where the cut would be.
const CADDY_WITHOUT_END = `#!/bin/sh
case $1 in
  version) echo v2.9.1 ;;
  validate) printf 'Error: %s\\n' "$(printf 'ä%.0s' $(seq 1500))" >&2; exit 1 ;;
esac
`

test('a Node that does not answer, a folder that cannot be written, an earlier file that cannot be kept and a switch that fails are stages of their own, and what is live stays [RTX-090]', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test')]
  const silent = Object.create(world.session, {
    ask: { value: () => Promise.reject(fail('node.unreachable')) },
  }) as NodeSession // The session of the world, but for one method.
  assert.match(await failureOf({ ...world, session: silent }), /^app-dev\.caddy_config_failed connect: ./)
  world.write('etc/caddy/fleet-versions', 'a file\n')
  assert.match(await failureOf(world), /^app-dev\.caddy_config_failed write: /)
  rmSync(world.at('etc/caddy/fleet-versions'))
  world.write('etc/caddy/Caddyfile', 'mine.example\n')
  world.write('etc/caddy/fleet-backups', 'a file\n')
  assert.match(
    await failureOf(world),
    /^app-dev\.caddy_config_failed backup: the earlier file could not be kept$/,
  )
  rmSync(world.at('etc/caddy/fleet-backups'))
  world.write('fake/mv', MOVE_FAILS)
  chmodSync(world.at('fake/mv'), 0o755)
  assert.match(
    await failureOf(world),
    /^app-dev\.caddy_config_failed swap: The live file could not be replaced/,
  )
  assert.deepEqual([world.live(), world.versions()], ['mine.example\n', []])
  rmSync(world.at('fake/mv'))
  assert.equal(await build(world), 'applied')
})

// The switch to the new link alone.
const MOVE_FAILS = `#!/bin/sh
case "$*" in *Caddyfile.fleet-new*) exit 1 ;; esac
exec /bin/mv "$@"
`

test('a converge skips sites that are no file, which have a digest all the same, and a file that Caddy refuses, and says why; what else fails is a failure [NODE-122]', async () => {
  await using world = await startWorld()
  const { artifact } = world.server
  const node = { ...world.session.node, activeRoles: ['app-dev' as const] }
  world.sites = [site('shop.test', 'route-1'), site('shop.test', 'route-2')]
  assert.match((await artifact.digest(node)) ?? '', /^[0-9a-f]{64}$/)
  const converge = () => artifact.converge(world.session, { force: false })
  const skipped = 'app-dev.caddy_config_failed'
  assert.deepEqual(await converge(), {
    skipped,
    message: 'custom-proxy route-1 and custom-proxy route-2 both serve shop.test at 127.0.0.1 port 443',
  })
  world.sites = [site('refused.test')]
  assert.deepEqual(await converge(), {
    skipped,
    message: 'Error: adapting config: refused.test is not welcome, token=[REDACTED]',
  })
  assert.equal(world.live(), undefined)
  world.sites = [site('shop.test')]
  world.install(undefined)
  await assert.rejects(converge(), (error: unknown) => {
    assert.ok(error instanceof CodedError)
    assert.deepEqual([error.code, error.details?.['stage']], [skipped, 'release'])
    return true
  })
})

/** Certificates that were published to be loaded later, and whether they still wait. */
function leavesIn(world: World, scopes: readonly string[]) {
  const markOf = (scope: string) => `etc/fleet/certificates/${scope}/leaf.pem.pending`
  return {
    publish: () => {
      for (const scope of scopes) world.write(markOf(scope), '')
    },
    waiting: () => scopes.filter((scope) => world.read(markOf(scope)) !== undefined),
  }
}

test('a build of the same sites loads the certificates that wait for it once and says that they are loaded, for two more round trips [RTX-100]', async () => {
  await using world = await startWorld()
  const domains = ['shop.test', 'mail.test', 'news.test']
  const leaves = leavesIn(
    world,
    domains.map((domain) => `route-${domain}`),
  )
  world.sites = domains.map((domain) => site(domain))
  await build(world)
  const loads = world.systemd.reloads().length
  leaves.publish()
  const trips = world.pool.executed.length
  assert.equal(await build(world), 'applied')
  assert.deepEqual([world.systemd.reloads().length, world.pool.executed.length], [loads + 1, trips + 3])
  assert.deepEqual(leaves.waiting(), [])
  assert.equal(await build(world), 'unchanged')
  assert.equal(world.systemd.reloads().length, loads + 1)
  // A load that fails leaves them waiting, also where the sites are others.
  leaves.publish()
  world.sites = [...world.sites, site('refused.test')]
  await assert.rejects(build(world))
  assert.equal(leaves.waiting().length, domains.length)
})

test('a certificate that is missing, also that of another site, is published before the file is judged, and Caddy judges what still lacks one', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test'), site('mail.test')]
  const publish = world.publishLeaves
  let published = 0
  world.publishLeaves = async () => {
    published += 1
    await publish()
  }
  await build(world)
  assert.equal(await build(world), 'unchanged')
  assert.equal(published, 1)
  const leaf = 'etc/fleet/certificates/route-mail.test/leaf.pem'
  rmSync(world.at(leaf))
  world.sites = [...world.sites, site('news.test')]
  assert.equal(await build(world), 'applied')
  assert.deepEqual([published, world.read(leaf)], [2, ''])
  rmSync(world.at(leaf))
  const live = world.live()
  world.publishLeaves = async () => {
    throw fail('node.unreachable')
  }
  world.sites = [site('mail.test')]
  await assert.rejects(build(world), { code: 'app-dev.caddy_config_failed' })
  assert.equal(world.live(), live)
  world.publishLeaves = async () => {
    throw fail('ca.unavailable')
  }
  assert.equal(await build(world), 'applied')
})

test('certificates of others, and one that is being written, are not loaded by a build', async () => {
  await using world = await startWorld()
  const leaves = leavesIn(world, ['websocket', 'route-shop.test'])
  world.sites = [site('shop.test')]
  await build(world)
  leaves.publish()
  world.write('etc/fleet/certificates/route-shop.test/leaf.pem.fleet-new', '')
  assert.equal(await build(world), 'unchanged')
  assert.deepEqual(leaves.waiting(), ['websocket', 'route-shop.test'])
})

test('a converge loads one file for all new certificates, also where the sites are the same', async () => {
  await using world = await startWorld()
  const { artifact } = world.server
  const converge = () => artifact.converge(world.session, { force: false })
  const domains = ['shop.test', 'mail.test']
  const leaves = leavesIn(
    world,
    domains.map((domain) => `route-${domain}`),
  )
  world.sites = domains.map((domain) => site(domain))
  await converge()
  const loads = world.systemd.reloads().length
  assert.equal(await converge(), 'unchanged')
  assert.equal(world.systemd.reloads().length, loads)
  world.publishLeaves = async () => leaves.publish()
  assert.equal(await converge(), 'applied')
  assert.equal(world.systemd.reloads().length, loads + 1)
  assert.deepEqual(leaves.waiting(), [])
  world.sites = [site('refused.test')]
  assert.notEqual(await converge(), 'applied')
  assert.equal(leaves.waiting().length, 2, 'what was not loaded is not confirmed')
})

test('a gateway without a private network touches no machine: sites are refused, and nothing is built or inspected', async () => {
  await using world = await startWorld()
  world.isPrivate = false
  assert.equal(await build(world), 'unchanged')
  world.sites = [site('shop.test')]
  await assert.rejects(build(world), { code: 'node.capability_missing' })
  assert.deepEqual(await world.server.checks.checksOf(world.session.call, world.session.node), [])
  assert.equal(world.pool.executed.length, 0)
})

const EDITED = 'edited\n'

test('Doctor compares the live file with a fresh rendering, and names an old Caddy only where it serves [DRF-031, DRF-032]', async () => {
  await using world = await startWorld()
  const findings = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (const check of await world.server.checks.checksOf(world.session.call, world.session.node)) {
      if (check.kind !== 'asked') throw new Error('a question was expected')
      const verdict = await check.judge(await answerOf(world, check.question))
      if (verdict && 'expected' in verdict)
        found.push(
          `${check.code}: ${verdict.expected} ${verdict.observed}`
            .replaceAll(versionOf(EDITED), 'of the edit')
            .replaceAll(/[0-9a-f]{32}/g, 'version'),
        )
    }
    return found
  }
  assert.deepEqual(await findings(), ['role.caddy_build_drift: version not_built'])
  await build(world)
  assert.deepEqual(await findings(), [])
  world.sites = [site('shop.test')]
  assert.deepEqual(await findings(), ['role.caddy_build_drift: version version'])
  await build(world)
  world.install('2.6.2')
  assert.deepEqual(await findings(), [
    'role.caddy_build_drift: version version',
    'role.caddy_version_unsupported: at least 2.9 2.6',
  ])
  await build(world)
  world.write(`etc/caddy/${readlinkSync(world.at('etc/caddy/Caddyfile'))}`, EDITED)
  assert.deepEqual((await findings())[0], 'role.caddy_build_drift: version of the edit')
  world.sites = [site('shop.test', 'route-1'), site('shop.test', 'route-2')]
  assert.deepEqual((await findings())[0], 'role.caddy_build_drift: buildable refused')
})

test('a build that holds its lock for longer than 5 s leaves the live file unverified, and a file has 10 s to be read [DRF-033]', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test')]
  await build(world)
  const judged = async () => {
    const verdicts: unknown[] = []
    for (const check of await world.server.checks.checksOf(world.session.call, world.session.node)) {
      assert.ok(check.kind === 'asked')
      assert.deepEqual(check.question.args, [world.at(''), '/run/lock/fleet/caddy.lock', 5, 10])
      const hurried = liveQuestion(world.at(''), { lockSeconds: 0.1, readSeconds: 0.1 })
      const answer = await answerOf(world, hurried)
      verdicts.push(answer === undefined ? 'no answer' : await check.judge(answer))
    }
    return verdicts
  }
  const lock = world.at('run/lock/fleet/caddy.lock')
  const holder = spawn('flock', ['-x', lock, 'sh', '-c', 'echo held; exec sleep 60'], { detached: true })
  try {
    await once(holder.stdout, 'data')
    assert.deepEqual(await judged(), [{ unverifiable: 'building' }, undefined])
  } finally {
    process.kill(-(holder.pid ?? 0), 'SIGKILL')
    await once(holder, 'exit')
  }
  assert.deepEqual(await judged(), [undefined, undefined])
  world.write('fake/sha256sum', '#!/bin/sh\nexec sleep 60\n')
  chmodSync(world.at('fake/sha256sum'), 0o755)
  assert.deepEqual(await judged(), ['no answer', 'no answer'])
})

test('of a Node with two roles that publish sites, the first active one reports the drift, once [DRF-032]', async () => {
  await using world = await startWorld({ roles: ['router', 'app-prod', 'app-dev'] })
  const { checks } = world.server
  const { node, call } = world.session
  const reportedBy = async (roles: readonly RoleName[]): Promise<readonly unknown[]> =>
    (await checks.checksOf(call, { ...node, activeRoles: roles })).flatMap(({ code, resource }) =>
      code === 'role.caddy_build_drift' ? [resource.name] : [],
    )
  assert.deepEqual(await reportedBy(node.activeRoles), ['app-dev'])
  assert.deepEqual(await reportedBy(['router', 'app-prod']), ['app-prod'])
})

/** The question as Doctor asks it. */
async function answerOf(
  { session }: World,
  { source, args = [], read }: Question<unknown>,
): Promise<unknown> {
  const { exitCode, stdout } = await session.run(script(source, ...args))
  return read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
}
