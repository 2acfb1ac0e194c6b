// The commands of Homebrew with their words and surroundings, on both platforms.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { brew, brewCask } from '#/tools/managers/brew.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { type AptWorld, startAptWorld } from '#/tools/world.test.ts'

const PREFIXES = { Darwin: 'opt/homebrew', Linux: 'home/linuxbrew/.linuxbrew' } as const
type System = keyof typeof PREFIXES

const CASK = {
  token: 'jq',
  tap: 'homebrew/cask',
  version: '1.0',
  url: 'https://example.com/jq.zip',
  sha256: 'a'.repeat(64),
  disabled: false,
}

/** Writes down its words, and `fresh` where it may ask for the newest names; of packages it knows these casks alone. */
const brewWith = (casks: readonly object[]): string => `#!/bin/sh
echo "\${HOMEBREW_FORCE_API_AUTO_UPDATE:+fresh }$*" >>"$(dirname "$0")/../brew.log"
case $1 in info) echo '${JSON.stringify({ formulae: [], casks })}' ;; esac
`

function addBrew({ fleet: { host } }: AptWorld, system: System, casks: readonly object[] = []): void {
  host.write(`${PREFIXES[system]}/.git/HEAD`, 'ref: refs/heads/main\n')
  host.write(`${PREFIXES[system]}/bin/brew`, brewWith(casks), 0o755)
  host.install('git', 'case $* in *remote.origin.url*) echo https://github.com/Homebrew/brew ;; esac')
  host.install('uname', `case $1 in -m) echo arm64 ;; *) echo ${system} ;; esac`)
  host.install('sw_vers', 'echo 15.1')
}

/** Everything that a Tool asks of its manager, and a removal. */
async function askAll(world: AptWorld, system: System, manager: Manager): Promise<readonly string[]> {
  const { host, session } = world.fleet
  await manager.read(session, 'jq')
  await manager.read(session, 'jq', { isFresh: true })
  await manager.install(session, 'jq')
  await manager.update(session, 'jq')
  await manager.remove(session, 'jq')
  return host.read(`${PREFIXES[system]}/brew.log`)?.trim().split('\n') ?? []
}

const READ = ['list --formula -1', 'info --json=v2 --formula jq']
const READ_CASK = ['info --json=v2 --cask homebrew/cask/jq', 'list --versions --cask jq']
const fresh = (lines: readonly string[]): readonly string[] => lines.map((line) => `fresh ${line}`)

test('a formula is installed and updated from its bottle alone, and only macOS asks for the newest names, never for a removal (Homebrew: recorded double) [TOOL-055, TLX-026, TLX-027]', async () => {
  for (const system of ['Darwin', 'Linux'] as const) {
    await using world = await startAptWorld()
    addBrew(world, system)
    const asked = [...READ, 'install --formula --force-bottle jq', 'upgrade --formula --force-bottle jq']
    assert.deepEqual(await askAll(world, system, brew(world.fleet.host.root)), [
      ...READ,
      ...(system === 'Darwin' ? fresh(asked) : asked),
      'uninstall --formula jq',
    ])
  }
})

test('a cask is read, installed and updated with the newest names, and removed without (Homebrew: recorded double) [TLX-024, TLX-025, TLX-026]', async () => {
  await using world = await startAptWorld()
  addBrew(world, 'Darwin')
  const asked = ['install --cask homebrew/cask/jq', 'upgrade --cask homebrew/cask/jq']
  assert.deepEqual(await askAll(world, 'Darwin', brewCask(world.fleet.host.root)), [
    ...READ_CASK,
    ...fresh([...READ_CASK, ...asked]),
    ...READ_CASK,
    'info --json=v2 --cask homebrew/cask/jq',
    'uninstall --cask homebrew/cask/jq',
  ])
})

test('a cask whose removal would run a script or ask for an administrator is refused before Homebrew is asked to remove it (Homebrew: recorded double) [TLX-032]', async () => {
  for (const [artifact, isRemoved] of [
    [{ font: ['Inter.ttc'] }, true],
    [{ pkg: ['a.pkg'] }, false],
    [{ preflight: null }, false],
  ] as const) {
    await using world = await startAptWorld()
    addBrew(world, 'Darwin', [{ ...CASK, artifacts: [artifact] }])
    const { host, session } = world.fleet
    const removal = brewCask(host.root).remove(session, 'jq')
    if (isRemoved) await removal
    else await assert.rejects(removal, { code: 'tool.remove_failed', message: /would run scripts/ })
    const log = host.read(`${PREFIXES.Darwin}/brew.log`) ?? ''
    assert.equal(log.includes('uninstall'), isRemoved, JSON.stringify(artifact))
  }
})

test('what requires a formula is asked before its removal, and an answer that is none removes nothing (Homebrew: recorded double)', async () => {
  await using world = await startAptWorld()
  const { host, session } = world.fleet
  const plan = (uses: string) => {
    addBrew(world, 'Linux')
    const program = `${brewWith([])}case $1 in uses) ${uses} ;; esac\n`
    host.write(`${PREFIXES.Linux}/bin/brew`, program, 0o755)
    return brew(host.root).planRemoval?.(session, 'jq')
  }
  const nothing = { removed: [], installed: [] }
  const needed = await plan("printf 'ffmpeg\\nacme/tools/libav@4\\n'")
  assert.deepEqual(needed, { ...nothing, neededBy: ['ffmpeg', 'acme/tools/libav@4'] })
  assert.deepEqual(await plan(':'), { ...nothing, neededBy: [] })
  await assert.rejects(plan('exit 1') ?? assert.fail(), {
    code: 'tool.remove_failed',
    message: /brew uses --installed/,
  })
  assert.deepEqual(
    new Set(host.read(`${PREFIXES.Linux}/brew.log`)?.trim().split('\n')),
    new Set(['uses --installed jq']),
  )
})

test('an installation of what Fleet does not install says why, and leaves no Tool (Homebrew: recorded double) [TOOL-057, TOOL-058]', async () => {
  const font = { font: ['Inter.ttc'], target: '/$HOME/Library/Fonts/Inter.ttc' }
  for (const [given, message] of [
    [{ artifacts: [{ app: ['A.app'], target: '$APPDIR/A.app' }] }, /an administrator/],
    [{ artifacts: [font, { preflight: null }] }, /scripts of its own/],
    [{ artifacts: [font], sha256: 'no_check' }, /no checksum/],
    [{ artifacts: [font], version: 'latest' }, /no fixed version/],
    [{ token: 'another', artifacts: [font] }, /offers no version .* Check the name/],
  ] as const) {
    await using world = await startAptWorld()
    const { store, node } = world.fleet
    await store.db.updateTable('nodes').set({ platform: 'macos' }).execute()
    addBrew(world, 'Darwin', [{ ...CASK, ...given }])
    world.fleet.host.write(
      `${PREFIXES.Darwin}/bin/brew`,
      `${brewWith([{ ...CASK, ...given }])}case $1 in --version) echo 'Homebrew 6.0.22' ;; esac\n`,
      0o755,
    )
    const input = { node_id: node.id, manager: 'brew-cask', package: 'jq' } as const
    await assert.rejects(world.handlers['tool:install']({ call: fakeCall(), input }), {
      code: 'tool.candidate_version_unavailable',
      status: 422,
      message,
    })
    assert.deepEqual(await world.rows(), [])
  }
})
