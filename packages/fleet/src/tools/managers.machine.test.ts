import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { script, textFile } from '@fleet/shell'
import { fakeCall } from '@fleet/testing'
import { brewCask, inBrewScope } from '#/tools/managers/brew.ts'
import { type AptWorld, remove, startAptWorld, update } from '#/tools/world.test.ts'

const hasComposer = ((): boolean => {
  try {
    execFileSync('composer', ['--version'], {
      stdio: 'ignore',
      env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1' },
    })
    return true
  } catch {
    return false
  }
})()

const composerTest = { skip: hasComposer ? false : 'this machine has no Composer' } as const

/** A version of it that no PHP satisfies. */
const OF_A_LATER_PHP = '12.0.0'

/** A repository of one package, and of one that requires it, in the settings of the Composer of the Node. */
function offer({ fleet: { host } }: AptWorld, ...versions: readonly string[]): void {
  const at = host.at('packages/hello')
  host.write('packages/hello/composer.json', '{"name": "acme/hello", "version": "1.0.0"}')
  const of = (name: string, version: string, require: Readonly<Record<string, string>> = {}) => ({
    name,
    version,
    require,
    dist: { type: 'path', url: at, reference: version },
  })
  const entries = Object.fromEntries(
    versions.map((version) => [
      version,
      of('acme/hello', version, version === OF_A_LATER_PHP ? { php: '>=99' } : {}),
    ]),
  )
  const user = { '1.0.0': of('acme/user', '1.0.0', { 'acme/hello': '*' }) }
  host.write(
    'repository/packages.json',
    JSON.stringify({ packages: { 'acme/hello': entries, 'acme/user': user } }),
  )
  const repositories = [
    { type: 'composer', url: `file://${host.at('repository')}` },
    { 'packagist.org': false },
  ]
  host.write('opt/orbit/composer/config.json', JSON.stringify({ repositories }))
}

test(
  'a package is installed, updated and removed by the real Composer, which the Node got on first use [TOOL-061, TOOL-062, TLX-023]',
  composerTest,
  async () => {
    await using world = await startAptWorld()
    const { handlers, fleet } = world
    const input = {
      node_id: fleet.node.id,
      manager: 'composer',
      package: 'acme/hello',
      version_constraint: '^1',
    } as const
    const call = () => fakeCall()
    offer(world, '1.3.0', '2.0.0-beta1')
    const { data } = await handlers['tool:install']({ call: call(), input })
    assert.deepEqual([data.status, data.installed_version, data.outcome], ['installed', '1.3.0', 'applied'])
    const managers = await handlers['tool:manager:list']({ call: call(), input: { node_id: fleet.node.id } })
    assert.equal(managers.data.find(({ name }) => name === 'composer')?.status, 'active')
    offer(world, '1.4.0', '1.3.0')
    const updated = await handlers['tool:update']({ call: call(), input: { tool: data.id } })
    assert.deepEqual([updated.data.installed_version, updated.data.outcome], ['1.4.0', 'applied'])
    offer(world, '2.0.0', '1.4.0')
    const blocked = await handlers['tool:update']({ call: call(), input: { tool: data.id } })
    assert.deepEqual(
      [blocked.data.installed_version, blocked.data.outcome],
      ['1.4.0', 'blocked_by_constraint'],
    )
    await handlers['tool:remove']({ call: call(), input: { tool: data.id } })
    const again = handlers['tool:adopt']({ call: call(), input })
    await assert.rejects(again, { code: 'tool.package_absent' })
  },
)

test(
  'of a package of Composer the version is offered that Composer would install here, not the newest that is published [TOOL-026, TOOL-031, TLX-033]',
  composerTest,
  async () => {
    await using world = await startAptWorld()
    const { handlers, fleet } = world
    const place = { node_id: fleet.node.id, manager: 'composer', package: 'acme/hello' } as const
    const install = (version_constraint: string) =>
      handlers['tool:install']({ call: fakeCall(), input: { ...place, version_constraint } })
    const home = () => fleet.host.read('opt/orbit/composer/composer.json')
    offer(world, OF_A_LATER_PHP)
    await assert.rejects(install('^11'), { code: 'tool.candidate_version_unavailable' })
    offer(world, OF_A_LATER_PHP, '11.4.0')
    await assert.rejects(install('^12'), { code: 'tool.version_constraint_blocked' })
    assert.equal(home(), undefined)
    const [failed] = await world.rows()
    await handlers['tool:remove']({ call: fakeCall(), input: { tool: failed?.id ?? 0 } })
    const { data } = await install('^11')
    assert.equal(data.installed_version, '11.4.0')
    offer(world, OF_A_LATER_PHP, '11.5.0', '11.4.0')
    const update = () => handlers['tool:update']({ call: fakeCall(), input: { tool: data.id } })
    const updated = (await update()).data
    assert.deepEqual([updated.installed_version, updated.outcome], ['11.5.0', 'applied'])
    assert.equal((await update()).data.outcome, 'unchanged')
  },
)

test(
  'a package of Composer that another one requires is not removed, and its Tool stays as it is [TOOL-034]',
  composerTest,
  async () => {
    await using world = await startAptWorld()
    const { handlers, fleet } = world
    const install = async (name: string): Promise<number> => {
      const input = { node_id: fleet.node.id, manager: 'composer', package: name } as const
      return (await handlers['tool:install']({ call: fakeCall(), input })).data.id
    }
    const home = () => fleet.host.read('opt/orbit/composer/composer.json')
    offer(world, '1.3.0')
    const hello = await install('acme/hello')
    const user = await install('acme/user')
    const before = { rows: await world.rows(), home: home() }
    await assert.rejects(remove(world, hello), {
      code: 'tool.removal_plan_unsafe',
      status: 409,
      message: 'Other packages require this one, so nothing was removed: acme/user.',
      details: { needed_by: ['acme/user'], step: 'remove', outcome: 'manager_failed', id: hello },
    })
    assert.deepEqual({ rows: await world.rows(), home: home() }, before)
    for (const id of [user, hello]) assert.equal((await remove(world, id)).data.status, 'removed')
    assert.deepEqual(await world.rows(), [])
  },
)

/** A Composer that offers one version of one package, and has it while there is a `composer.json`. */
const ONE_PACKAGE = `
case "$*" in
  *--version) echo 'Composer version 2.5.5 2023-03-21 11:50:05' ;;
  *'global show'*) echo '{"installed": [{"name": "acme/hello", "direct-dependency": true, "version": "1.3.0"}]}' ;;
  *'global require --dry-run'*) echo '  - Locking acme/hello (1.3.0)' ;;
  *'global require'*) echo '{}' >"$COMPOSER_HOME/composer.json" ;;
esac`

async function startComposerTool() {
  const world = await startAptWorld()
  const { handlers, fleet } = world
  fleet.host.install('composer', ONE_PACKAGE)
  const input = { node_id: fleet.node.id, manager: 'composer', package: 'acme/hello' } as const
  const install = async () => (await handlers['tool:install']({ call: fakeCall(), input })).data
  const { id } = await install()
  /** As on a machine that was installed anew. */
  const loseHome = () => rmSync(fleet.host.at('opt/orbit/composer'), { recursive: true })
  return { world, id, install, loseHome }
}

test('a manager that is gone comes back with the next installation or update, whatever its record says (Composer: recorded double) [TOOL-031, TOOL-062]', async () => {
  const { world, id, install, loseHome } = await startComposerTool()
  await using _ = world
  loseHome()
  const updated = (await update(world, id)).data
  assert.deepEqual([updated.status, updated.installed_version], ['installed', '1.3.0'])
  loseHome()
  const installed = await install()
  assert.deepEqual([installed.id, installed.status, installed.installed_version], [id, 'installed', '1.3.0'])
  assert.equal((await world.rows()).length, 1)
  loseHome()
  world.fleet.host.write('opt/orbit/composer', 'a file')
  await assert.rejects(update(world, id), { code: 'tool.manager_unavailable' })
  const [row] = await world.rows()
  assert.deepEqual([row?.status, row?.error_code], ['failed', 'tool.manager_unavailable'])
})

test('a Tool whose manager is gone with all that it had is removed, and no other (Composer: recorded double) [TOOL-034, TLX-047]', async () => {
  const { world, id, loseHome } = await startComposerTool()
  await using _ = world
  const unavailable = async () => {
    const refused = { code: 'tool.manager_unavailable', status: 409 }
    await assert.rejects(remove(world, id), refused)
    const [row] = await world.rows()
    assert.deepEqual(
      [row?.status, row?.failed_operation, row?.error_code],
      ['failed', 'remove', refused.code],
    )
  }
  const { host } = world.fleet
  loseHome()
  host.write('opt/orbit/composer', 'a file')
  await unavailable()
  rmSync(host.at('opt/orbit/composer'))
  assert.equal((await remove(world, id)).data.status, 'removed')
  assert.deepEqual(await world.rows(), [])
})

test("Composer that is missing is not used for an adoption, and its home is nobody else's [TOOL-015, TLX-047]", async () => {
  await using world = await startAptWorld()
  const { handlers, fleet } = world
  const input = { node_id: fleet.node.id, manager: 'composer', package: 'acme/hello' } as const
  await assert.rejects(handlers['tool:adopt']({ call: fakeCall(), input }), {
    code: 'tool.manager_unavailable',
    status: 409,
  })
  const managers = await handlers['tool:manager:list']({
    call: fakeCall(),
    input: { node_id: fleet.node.id },
  })
  const row = managers.data.find(({ name }) => name === 'composer')
  assert.deepEqual(
    [row?.status, row?.failed_step, row?.error_code],
    ['failed', 'materialize', 'node.tool_manager_materialization_failed'],
  )
})

test('a prerequisite that cannot be installed leaves no Tool [TOOL-018, TLX-013, TLX-047]', async () => {
  await using world = await startAptWorld()
  const { handlers, fleet } = world
  world.fail('Could not get lock /var/lib/dpkg/lock-frontend')
  const input = { node_id: fleet.node.id, manager: 'brew', package: 'jq' } as const
  await assert.rejects(handlers['tool:install']({ call: fakeCall(), input }), {
    code: 'tool.manager_provision_failed',
    status: 502,
  })
  assert.deepEqual(await world.rows(), [])
  const managers = await handlers['tool:manager:list']({
    call: fakeCall(),
    input: { node_id: fleet.node.id },
  })
  const row = managers.data.find(({ name }) => name === 'brew')
  assert.deepEqual(
    [row?.status, row?.failed_step, row?.error_code],
    ['failed', 'materialize', 'node.tool_manager_materialization_failed'],
  )
  assert.match(world.ran().join('\n'), /install -- build-essential procps curl file git ca-certificates$/)
})

const ENVIRONMENT = [
  'HOMEBREW_NO_ANALYTICS=1',
  'HOMEBREW_NO_AUTO_UPDATE=1',
  'HOMEBREW_NO_ENV_HINTS=1',
  'HOMEBREW_NO_INSTALLED_DEPENDENTS_CHECK=1',
  'HOMEBREW_NO_INSTALL_CLEANUP=1',
]

test('a formula is poured from its bottle with a fixed environment, and removed alone (Homebrew: recorded double) [TOOL-055, TOOL-059, TLX-024, TLX-026, TLX-027]', async () => {
  await using world = await startAptWorld()
  const { handlers, fleet } = world
  const prefix = 'home/linuxbrew/.linuxbrew'
  const digest = '1'.repeat(64)
  const formula = (version: string | undefined) =>
    JSON.stringify({
      formulae: [
        {
          name: 'jq',
          full_name: 'jq',
          tap: 'homebrew/core',
          versions: { stable: '1.8.1' },
          bottle: { stable: { files: { x86_64_linux: { sha256: digest } } } },
          installed: version === undefined ? [] : [{ version, installed_on_request: true }],
        },
      ],
    })
  fleet.host.write(`${prefix}/.git/HEAD`, 'ref: refs/heads/main\n')
  fleet.host.write(`${prefix}/absent`, formula(undefined))
  fleet.host.write(`${prefix}/present`, formula('1.8.1'))
  fleet.host.write(
    `${prefix}/bin/brew`,
    `#!/bin/sh
cd "$(dirname "$0")/.."
echo "$*" >>brew.log
env | grep ^HOMEBREW | sort >brew.env
case $1 in
  --version) echo 'Homebrew 6.0.22' ;;
  install) touch poured ;;
  uninstall) rm poured ;;
  list) if [ -e poured ]; then echo jq; fi ;;
  info) if [ -e poured ]; then cat present; else cat absent; fi ;;
esac
`,
    0o755,
  )
  fleet.host.install(
    'git',
    'case $* in *remote.origin.url*) echo https://github.com/Homebrew/brew ;; *HEAD*) echo 08e85c4e42f5d8f1ea17c36cb59cf61c2ccb26c3 ;; esac',
  )
  fleet.host.install('uname', 'case $1 in -m) echo x86_64 ;; *) echo Linux ;; esac')
  const input = { node_id: fleet.node.id, manager: 'brew', package: 'jq' } as const
  world.set('ca-certificates', { candidate: '1' })
  const { data } = await handlers['tool:install']({ call: fakeCall(), input })
  assert.deepEqual([data.status, data.installed_version], ['installed', '1.8.1'])
  await handlers['tool:remove']({ call: fakeCall(), input: { tool: data.id } })
  const read = ['list --formula -1', 'info --json=v2 --formula jq']
  assert.deepEqual(fleet.host.read(`${prefix}/brew.log`)?.trim().split('\n'), [
    '--version',
    ...read,
    'install --formula --force-bottle jq',
    ...read,
    ...read,
    'uses --installed jq',
    'uninstall --formula jq',
    ...read,
  ])
  assert.deepEqual(fleet.host.read(`${prefix}/brew.env`)?.trim().split('\n'), ENVIRONMENT)
})

test('a cask is installed, updated and removed by its official name, and by its own where that is gone (Homebrew: recorded double) [TLX-025]', async () => {
  await using world = await startAptWorld()
  const { host, session } = world.fleet
  const prefix = 'opt/homebrew'
  host.write(`${prefix}/.git/HEAD`, 'ref: refs/heads/main\n')
  host.write(
    `${prefix}/bin/brew`,
    `#!/bin/sh
cd "$(dirname "$0")/.."
case $1 in
  info) [ ! -e gone ] || exit 1 ;;
  *) echo "$*" >>brew.log ;;
esac
`,
    0o755,
  )
  host.install('git', 'case $* in *remote.origin.url*) echo https://github.com/Homebrew/brew ;; esac')
  host.install('uname', 'case $1 in -m) echo arm64 ;; *) echo Darwin ;; esac')
  const last = () => host.read(`${prefix}/brew.log`)?.trim().split('\n').at(-1)
  const casks = brewCask(host.root)
  await casks.install(session, 'font-inter')
  assert.equal(last(), 'install --cask homebrew/cask/font-inter')
  await casks.update(session, 'font-inter')
  assert.equal(last(), 'upgrade --cask homebrew/cask/font-inter')
  const remove = inBrewScope(textFile('commands/remove-cask.sh', import.meta.url))
  const removed = () => session.run(script(remove, host.root, 'font-inter'))
  assert.match((await removed()).stdout.toString(), /^removed 3\nyes$/m)
  assert.equal(last(), 'uninstall --cask homebrew/cask/font-inter')
  host.write(`${prefix}/gone`, '')
  assert.match((await removed()).stdout.toString(), /^removed 3\nyes$/m)
  assert.equal(last(), 'uninstall --cask font-inter')
})

test('a Vite+ that is not the verified build is not used, and nothing of it stays [TOOL-018]', async () => {
  await using world = await startAptWorld()
  const { handlers, fleet } = world
  fleet.host.install(
    'curl',
    'while [ $# -gt 1 ]; do if [ "$1" = -o ]; then echo other >"$2"; fi; shift; done',
  )
  fleet.host.install('uname', 'case $1 in -m) echo x86_64 ;; *) echo Linux ;; esac')
  world.set('ca-certificates', { candidate: '1' })
  const input = { node_id: fleet.node.id, manager: 'vp', package: 'cowsay' } as const
  await assert.rejects(handlers['tool:install']({ call: fakeCall(), input }), {
    code: 'tool.manager_provision_failed',
    message: /not the verified build/,
  })
  assert.equal(fleet.host.read('opt/orbit/vite-plus/bin/vp'), undefined)
  const [, , vp] = (await handlers['tool:scan']({ call: fakeCall(), input: { node_id: fleet.node.id } })).data
    .managers
  assert.equal(vp?.scan_state, 'absent')
})
