import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import type {
  GeneratedSecret,
  RenderedService,
  ServicePlaces,
  ServiceUnit,
} from '#/managed-services/declaration.ts'
import { decide, type EnsureOptions } from '#/managed-services/decide.ts'
import { sha256 } from '#/managed-services/plan.ts'
import type { ServiceState } from '#/managed-services/state.ts'

const CONFIG = '/etc/fleet/a.conf'
const OTHER = '/etc/fleet/b.conf'
const LIVE = '/etc/fleet/live'
const UNIT = '/etc/systemd/system/a.service'
const KEY = '/etc/fleet/key'

const unit = (change: Partial<ServiceUnit> = {}): ServiceUnit => ({
  name: 'a.service',
  file: 'own',
  isEnabled: true,
  onChange: 'restart',
  ...change,
})

const places = (change: Partial<ServicePlaces> = {}): ServicePlaces => ({
  name: 'a',
  files: [CONFIG, OTHER].map((path) => ({ path, mode: '644' })),
  units: [unit()],
  ready: { kind: 'active', seconds: 1 },
  failure: (reason) => ({ code: 'node_role.service_failed', details: { reason } }),
  ...change,
})

const RENDERED = {
  files: { [CONFIG]: 'a', [OTHER]: 'b' },
  units: { 'a.service': 'unit' },
  links: { [LIVE]: 'versions/1' },
  release: { id: 'r1', files: {} },
} satisfies RenderedService

const { files, units, links } = RENDERED

const DIGESTS = { [CONFIG]: sha256('a'), [OTHER]: sha256('b'), [UNIT]: sha256('unit') }

/** As it was declared. */
const FOUND: ServiceState = {
  hasFolders: true,
  digests: new Map(Object.entries(DIGESTS)),
  links: new Map([[LIVE, 'versions/1']]),
  units: new Map([['a.service', { hasFile: true, isEnabled: true, isActive: true }]]),
  releases: new Set(['r1']),
  running: undefined,
}

const without = (path: string): Partial<ServiceState> => ({
  digests: new Map(Object.entries(DIGESTS).filter(([name]) => name !== path)),
})

const withUnit = (change: object): Partial<ServiceState> => ({
  units: new Map([['a.service', { hasFile: true, isEnabled: true, isActive: true, ...change }]]),
})

interface Given {
  readonly service?: ServicePlaces
  readonly wanted?: RenderedService
  readonly found?: Partial<ServiceState>
  readonly options?: Partial<EnsureOptions>
}

const decided = ({ service = places(), wanted = RENDERED, found = {}, options = {} }: Given) =>
  decide(service, wanted, { ...FOUND, ...found }, { force: false, start: true, ...options })

/** Whether anything is to do, what is written, and what becomes of the unit. */
const outline = (given: Given) => {
  const { isNeeded, files, links, release, actions } = decided(given)
  return [
    isNeeded,
    [...files.keys(), ...links.keys(), ...(release ? [release.id] : [])],
    actions.get('a.service'),
  ]
}

const CASES: ReadonlyArray<readonly [what: string, given: Given, outcome: readonly unknown[]]> = [
  ['is as declared', {}, [false, [], 'start']],
  ['lacks a file', { found: without(CONFIG) }, [true, [CONFIG, 'r1'], 'restart']],
  ['lacks its unit', { found: without(UNIT) }, [true, [UNIT, 'r1'], 'restart']],
  [
    'has another link',
    { found: { links: new Map([[LIVE, 'versions/0']]) } },
    [true, [LIVE, 'r1'], 'restart'],
  ],
  ['lacks its release', { found: { releases: new Set(['r0']) } }, [true, ['r1'], 'restart']],
  ['lacks a folder', { found: { hasFolders: false } }, [true, [], 'start']],
  ['is not active', { found: withUnit({ isActive: false }) }, [true, [], 'start']],
  ['is not enabled', { found: withUnit({ isEnabled: false }) }, [true, [], 'start']],
  [
    'is not active, and is started later',
    { found: withUnit({ isActive: false }), options: { start: false } },
    [false, [], undefined],
  ],
  [
    'lacks a file, and is started later',
    { found: without(CONFIG), options: { start: false } },
    [true, [CONFIG, 'r1'], undefined],
  ],
  ['is written by force', { options: { force: true } }, [true, [CONFIG, OTHER, UNIT, 'r1'], 'restart']],
  ['declares no release', { wanted: { files, units, links } }, [false, [], 'start']],
  [
    'need not be enabled',
    { service: places({ units: [unit({ isEnabled: false })] }), found: withUnit({ isEnabled: false }) },
    [false, [], 'start'],
  ],
]
for (const [what, given, outcome] of CASES)
  test(`a service that ${what} is changed as far as that asks for`, () =>
    assert.deepEqual(outline(given), outcome))

const ACTIONS: ReadonlyArray<readonly [unit: Partial<ServiceUnit>, missing: string, action: string]> = [
  [{ onChange: 'reload' }, CONFIG, 'reload'],
  [{ onChange: 'none' }, CONFIG, 'none'],
  [{ onChange: 'own-file' }, CONFIG, 'start'],
  [{ onChange: 'own-file' }, UNIT, 'restart'],
  [{ onChange: 'restart', reads: [CONFIG] }, CONFIG, 'restart'],
  [{ onChange: 'restart', reads: [CONFIG] }, OTHER, 'start'],
  [{ onChange: 'restart', reads: [] }, CONFIG, 'start'],
]
for (const [change, missing, action] of ACTIONS)
  test(`${action} follows for a unit of ${JSON.stringify(change)} from another ${missing}`, () => {
    const service = places({ units: [unit(change)] })
    assert.equal(decided({ service, found: without(missing) }).actions.get('a.service'), action)
  })

test('a unit that reads a link is concerned by another target, and every unit by force', () => {
  const service = places({ units: [unit({ reads: [LIVE] })] })
  const action = (given: Given) => decided({ service, ...given }).actions.get('a.service')
  assert.equal(action({ found: { links: new Map() } }), 'restart')
  assert.equal(action({ found: without(CONFIG) }), 'start')
  assert.equal(action({ options: { force: true } }), 'restart')
})

test('what a timer starts need not run, and is not started', () => {
  const service = places({ units: [unit({ onChange: 'none', isEnabled: false })] })
  const found = withUnit({ isActive: false, isEnabled: false })
  assert.deepEqual(outline({ service, found }), [false, [], 'none'])
})

test('a process that reports its digest is settled until it runs by the declared one', () => {
  const service = places({ ready: { kind: 'reported', unit: 'a.service', file: '/run/a', seconds: 1 } })
  const wanted = { ...RENDERED, digest: 'd1' }
  const idle = withUnit({ isActive: false })
  assert.deepEqual(outline({ service, wanted, found: { ...idle, running: 'd1' } }), [false, [], 'settle'])
  assert.deepEqual(outline({ service, wanted, found: { running: 'd0' } }), [true, [], 'settle'])
  assert.deepEqual(outline({ service, wanted }), [true, [], 'settle'])
  assert.deepEqual(outline({ service, found: { running: 'd1' } }), [true, [], 'settle'])
  assert.equal(decided({ service, wanted }).digest, 'd1')
})

test('a generated secret is made once, also by force, and a process that reports is restarted for a new one', () => {
  const made: string[] = []
  const content = (knownSha256: string | undefined): GeneratedSecret => ({
    knownSha256,
    create: () => (made.push('made'), new Secret('key')),
  })
  const decideFor = (knownSha256: string | undefined, digest: string | undefined) =>
    decided({
      service: places({ ready: { kind: 'reported', unit: 'a.service', file: '/run/a', seconds: 1 } }),
      wanted: { ...RENDERED, files: { ...RENDERED.files, [KEY]: content(knownSha256) } },
      found: { digests: new Map(Object.entries({ ...DIGESTS, [KEY]: digest })) },
      options: { force: true },
    })
  const known = sha256('known')
  assert.equal(decideFor(known, known).files.has(KEY), false)
  assert.deepEqual(made, [])
  for (const digest of [undefined, sha256('another')]) {
    const { files, newSecrets, actions } = decideFor(known, digest)
    assert.ok(files.has(KEY))
    assert.deepEqual([...newSecrets], [[KEY, sha256('key')]])
    assert.equal(actions.get('a.service'), 'restart')
  }
  assert.ok(decideFor(undefined, undefined).files.has(KEY))
  assert.equal(made.length, 3)
})
