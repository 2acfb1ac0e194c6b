import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { toolInventory } from '@fleet/contract'
import { addNode, fakeCall } from '@fleet/testing'
import { type AptWorld, startAptWorld } from '#/tools/world.test.ts'

const golden = (name: string): string => readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8')

const scan = async (world: AptWorld, node_id = world.fleet.node.id) => {
  const { data } = await world.handlers['tool:scan']({ call: fakeCall(), input: { node_id } })
  return toolInventory.parse(data).managers
}

const FORMULAE = ['jq', 'oniguruma', 'source-only', 'theirs', 'unknown', 'wireguard-tools'].join('\n')

/** A Homebrew where Linux has it, whose words are those of the real one. */
function addBrew({ fleet: { host } }: AptWorld, names = FORMULAE): void {
  const prefix = 'home/linuxbrew/.linuxbrew'
  host.write(`${prefix}/.git/HEAD`, 'ref: refs/heads/main\n')
  host.write(`${prefix}/names`, `${names}\n`)
  host.write(`${prefix}/info`, golden('brew-formulae.json'))
  host.write(
    `${prefix}/bin/brew`,
    `#!/bin/sh\ncd "$(dirname "$0")/.."\necho "$*" >>brew.log\ncase $1 in list) cat names ;; info) cat info ;; esac\n`,
    0o755,
  )
  host.install('git', 'echo https://github.com/Homebrew/brew')
  host.install('uname', 'case $1 in -m) echo x86_64 ;; *) echo Linux ;; esac')
}

const addVitePlus = ({ fleet: { host } }: AptWorld, list = golden('vp-list.json')): void => {
  host.write('opt/orbit/vite-plus/list', list)
  host.write(
    'opt/orbit/vite-plus/bin/vp',
    '#!/bin/sh\ncase $1 in --version) echo "vp v0.3.0" ;; *) cat "$VP_HOME/list" ;; esac\n',
    0o755,
  )
}

test('a Node without them has both managers absent, and never casks [TLX-036, TLX-037, TOOL-045]', async () => {
  await using world = await startAptWorld()
  assert.deepEqual(await scan(world), [
    { manager: 'brew', scan_state: 'absent', packages: [] },
    { manager: 'brew-cask', scan_state: 'unsupported', packages: [] },
    { manager: 'vp', scan_state: 'absent', packages: [] },
  ])
})

test('what Vite+ has is read, compared with the records, and nothing is stored [TOOL-005, TOOL-045, TOOL-046, TOOL-060, TLX-038]', async () => {
  await using world = await startAptWorld()
  addVitePlus(world)
  const { node_id, id } = (
    await world.handlers['tool:adopt']({
      call: fakeCall(),
      input: { node_id: world.fleet.node.id, manager: 'vp', package: 'cowsay' },
    })
  ).data
  await using _ = await world.fleet.store.locks.acquire({
    name: `node:${node_id}:tool-manager:vp`,
    operation: 'tool:install',
    requestId: 'request-1',
    waitMilliseconds: 0,
    leaseSeconds: 600,
  })
  const common = {
    manager: 'vp',
    package_kind: 'global',
    dependency: false,
    adoption: 'supported',
    adoption_block: null,
  }
  assert.deepEqual((await scan(world))[2], {
    manager: 'vp',
    scan_state: 'complete',
    packages: [
      { ...common, package: '@antfu/ni', installed_version: '30.6.0', registered: false, tool_id: null },
      { ...common, package: 'cowsay', installed_version: '1.5.0', registered: true, tool_id: id },
    ],
  })
  assert.equal((await world.rows()).length, 1)
})

test('what Vite+ prints in another form is incomplete [TOOL-047, TLX-039]', async () => {
  await using world = await startAptWorld()
  const entry = (name: unknown) => ({ name, version: '1.0.0' })
  for (const names of [[1], [''], ['x'.repeat(256)], ['a\u0007'], ['a', 'a']]) {
    addVitePlus(world, JSON.stringify(names.map(entry)))
    assert.equal((await scan(world))[2]?.scan_state, 'incomplete', JSON.stringify(names))
  }
  addVitePlus(world, '[{"name": "cut')
  assert.equal((await scan(world))[2]?.scan_state, 'incomplete')
})

test('a store without its program is conflicting [TLX-017]', async () => {
  await using world = await startAptWorld()
  world.fleet.host.write('opt/orbit/vite-plus/other', '')
  assert.equal((await scan(world))[2]?.scan_state, 'conflicting')
})

test('formulae are judged by their metadata, each with one reason (Homebrew: recorded double) [TOOL-048, TOOL-049, TLX-024, TLX-039]', async () => {
  await using world = await startAptWorld()
  addBrew(world)
  const [brew] = await scan(world)
  assert.equal(brew?.scan_state, 'complete')
  assert.deepEqual(
    brew?.packages.map((found) => [
      found.package,
      found.installed_version,
      found.dependency,
      found.adoption_block,
    ]),
    [
      ['jq', '1.7.1', false, null],
      ['oniguruma', '6.9.10', true, 'dependency'],
      ['source-only', '1.0.0', false, 'bottle_unavailable'],
      ['theirs', '3.0.0', false, 'unsupported_source'],
      ['unknown', null, false, 'unsupported_source'],
      ['wireguard-tools', '1.0.20260223', false, 'protected'],
    ],
  )
  assert.deepEqual(world.fleet.host.read('home/linuxbrew/.linuxbrew/brew.log')?.trim().split('\n'), [
    'list --formula -1',
    'info --json=v2 --installed --formula',
  ])
})

test('a scan answers names and versions, nothing that the managers printed besides (Homebrew: recorded double) [TOOL-007]', async () => {
  await using world = await startAptWorld()
  addBrew(world)
  addVitePlus(world)
  const found = await scan(world)
  assert.ok(found.filter(({ packages }) => packages.length > 0).length > 1)
  const texts = found.flatMap(({ packages }) =>
    packages.flatMap((one) => [one.package, one.installed_version]),
  )
  for (const text of texts) assert.match(text ?? '', /^[a-z0-9@/._+-]{0,40}$/, String(text))
  assert.doesNotMatch(JSON.stringify(found), /https?:|\/opt\/|\/home\/|[\da-f]{32}|HOMEBREW|VP_HOME/)
})

test('metadata of a formula that is not listed is incomplete, another origin conflicting (Homebrew: recorded double) [TLX-015, TLX-039]', async () => {
  await using world = await startAptWorld()
  addBrew(world, 'jq')
  assert.equal((await scan(world))[0]?.scan_state, 'incomplete')
  world.fleet.host.install('git', 'echo https://example.com/brew')
  assert.equal((await scan(world))[0]?.scan_state, 'conflicting')
})

test('a Node that Fleet does not manage is not scanned [TOOL-011, TOOL-012]', async () => {
  await using world = await startAptWorld()
  const failed = await addNode(world.fleet.store, { status: 'failed' })
  await assert.rejects(scan(world, failed.id), {
    code: 'tool.node_inactive',
    details: {
      node: { id: failed.id, name: failed.name },
      status: 'failed',
      step: 'scan',
      outcome: 'manager_failed',
    },
  })
  await assert.rejects(scan(world, 999), { code: 'node.not_found' })
})
