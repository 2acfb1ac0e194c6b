import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { commandOf, compared, requestOrRefuse, requirePresetTarget, startsAtBoot } from '#/processes/rules.ts'
import type { ProcessOwner, ProcessRow } from '#/processes/record.ts'
import { isRepeat } from '#/repeats.ts'

type Input = InputOf<'process:create'>

const UNIT: Input = {
  target_type: 'node',
  target_id: 1,
  name: 'queue',
  runtime: 'systemd',
  command: ['/usr/bin/php', 'artisan'],
}
const CONTAINER: Input = { ...UNIT, runtime: 'docker', command: ['serve'], image: 'mysql:9' }
const { runtime: _runtime, command: _command, ...OWN } = UNIT
const PRESET: Input = { ...OWN, target_type: 'instance', preset: 'vp-dev' }

const REFUSED: ReadonlyArray<readonly [input: Input, errors: Readonly<Record<string, readonly string[]>>]> = [
  [{ ...OWN, command: ['/bin/true'] }, { runtime: ['is required without a preset'] }],
  [{ ...OWN, runtime: 'systemd' }, { command: ['is required without a preset'] }],
  ...(['image', 'environment', 'ports', 'volumes'] as const).map(
    (name) =>
      [
        { ...UNIT, [name]: name === 'image' ? 'mysql:9' : [] },
        { [name]: ['is only for the runtime docker'] },
      ] as const,
  ),
  ...[['php'], ['/usr/bin/'], ['/usr\\bin'], ['/usr\n/php'], []].map(
    (command) =>
      [{ ...UNIT, command }, { command: ['must begin with the absolute path of a program'] }] as const,
  ),
  [{ ...CONTAINER, user: 'shop' }, { user: ['is only for a systemd Process of a Node'] }],
  [{ ...UNIT, target_type: 'instance', user: 'shop' }, { user: ['is only for a systemd Process of a Node'] }],
  [{ ...UNIT, runtime: 'docker' }, { image: ['is required for the runtime docker'] }],
  [{ ...CONTAINER, environment: ['A=1', 'A=2'] }, { environment: ['has a name twice'] }],
  [
    { ...CONTAINER, environment: ['DB_HOST=a'], connections: ['shop'] },
    { environment: ['names DB_HOST, which a connection sets'] },
  ],
  ...(
    [
      ['runtime', 'systemd'],
      ['command', ['/bin/true']],
      ['working_directory', '/srv'],
      ['environment', []],
      ['image', 'mysql:9'],
      ['ports', []],
      ['volumes', []],
    ] as const
  ).map(([name, value]) => [{ ...PRESET, [name]: value }, { [name]: ['is set by the preset'] }] as const),
  [{ ...PRESET, user: 'shop' }, { user: ['is only for a systemd Process of a Node'] }],
  [{ ...PRESET, target_type: 'node' }, { preset: ['is only for an Instance'] }],
]
for (const [input, errors] of REFUSED)
  test(`${JSON.stringify(input)} is refused by its member`, () =>
    assert.throws(() => requestOrRefuse(input), { code: 'validation.failed', details: { errors } }))

test('a preset that this fleet does not have is refused by its name', () => {
  assert.throws(() => requestOrRefuse({ ...PRESET, preset: 'annotator' }), {
    code: 'process.preset_unavailable',
    details: { preset: 'annotator' },
  })
})

test('a unit, a container and a preset become what is stored, with its defaults [PROC-004]', () => {
  const defaults = { name: 'queue', restart_policy: 'never', keep_alive: 0, account: null, start: false }
  const placed = { working_directory: null, variables: [] }
  assert.deepEqual(requestOrRefuse(UNIT), {
    ...defaults,
    ...placed,
    runtime: 'systemd',
    runtime_config: { command: ['/usr/bin/php', 'artisan'], preset: null },
  })
  assert.deepEqual(requestOrRefuse(PRESET), {
    ...defaults,
    ...placed,
    runtime: 'systemd',
    runtime_config: { command: [], preset: 'vp-dev' },
  })
  assert.deepEqual(
    requestOrRefuse({ ...CONTAINER, environment: ['B=2', 'A=1'], connections: ['shop:Z', 'old:A'] }),
    {
      ...defaults,
      working_directory: null,
      variables: ['A=1', 'B=2'],
      runtime: 'docker',
      runtime_config: {
        command: ['serve'],
        preset: null,
        container: { image: 'mysql:9', ports: [], volumes: [], variables: ['A', 'B'] },
        connections: [
          { slug: 'old', prefix: 'A' },
          { slug: 'shop', prefix: 'Z' },
        ],
      },
    },
  )
  const { runtime_config } = requestOrRefuse({ ...UNIT, connections: ['shop'] })
  assert.deepEqual(runtime_config.connections, [{ slug: 'shop', prefix: 'DB' }])
  const given = {
    restart_policy: 'always',
    keep_alive: true,
    user: 'shop',
    start: true,
    working_directory: '/srv',
  } as const
  assert.deepEqual(requestOrRefuse({ ...UNIT, ...given }), {
    ...requestOrRefuse(UNIT),
    restart_policy: 'always',
    keep_alive: 1,
    account: 'shop',
    start: true,
    working_directory: '/srv',
  })
})

const instance = (change: object): ProcessOwner =>
  ({
    type: 'instance',
    instance: { environment: 'development', vite_port: 5173, ...change },
  }) as unknown as ProcessOwner // What the rule reads of one.

test('a preset needs a development Instance with a port, anything else needs none [PROC-020]', () => {
  const preset = requestOrRefuse(PRESET)
  requirePresetTarget(preset, instance({}))
  for (const change of [{ environment: 'production' }, { vite_port: null }])
    assert.throws(() => requirePresetTarget(preset, instance(change)), { code: 'validation.failed' })
  requirePresetTarget(requestOrRefuse(UNIT), instance({ vite_port: null }))
})

test('a request is the stored Process in every member but its start, whatever the order of its variables and connections', () => {
  const volume = { source: '/srv', target: '/srv', read_only: true }
  const input: Input = {
    ...CONTAINER,
    ports: ['80:80'],
    volumes: [volume],
    environment: ['A=1', 'B=2'],
    connections: ['shop', 'old:OLD'],
  }
  const { variables, ...row } = requestOrRefuse(input)
  const is = (other: Input): boolean =>
    isRepeat(compared(row as unknown as ProcessRow, variables, requestOrRefuse(other))) // The members that are compared.
  assert.ok(is(input))
  assert.ok(is({ ...input, start: true, environment: ['B=2', 'A=1'], connections: ['old:OLD', 'shop'] }))
  const others: readonly Partial<Input>[] = [
    { environment: ['A=1'] },
    { command: ['run'] },
    { image: 'mysql:8' },
    { ports: [] },
    ...[{ source: '/a' }, { target: '/a' }, { read_only: false }].map((change) => ({
      volumes: [{ ...volume, ...change }],
    })),
    { connections: ['shop'] },
    { connections: ['shop:A', 'old:OLD'] },
    { working_directory: '/srv' },
    { restart_policy: 'always' },
    { keep_alive: true },
  ]
  for (const other of others) assert.equal(is({ ...input, ...other }), false, JSON.stringify(other))
  const unit = requestOrRefuse(UNIT) as unknown as ProcessRow // The members that are compared.
  const isUnit = (other: Input): boolean => isRepeat(compared(unit, [], requestOrRefuse(other)))
  assert.ok(isUnit(UNIT))
  assert.equal(isUnit({ ...UNIT, user: 'shop' }), false)
  assert.equal(isUnit({ ...CONTAINER, command: UNIT.command }), false)
  assert.equal(isUnit(PRESET), false)
})

test('a preset runs the development server at the port that its Instance has now, anything else its own command', () => {
  assert.deepEqual(commandOf({ command: ['/bin/true'], preset: null }, instance({})), ['/bin/true'])
  assert.deepEqual(
    commandOf({ command: [], preset: 'vp-dev' }, instance({ vite_port: 5180 })),
    '/usr/bin/env vp dev --host 127.0.0.1 --port 5180 --strictPort'.split(' '),
  )
})

test('what belongs to a Node or to production starts at the boot, nothing of a development Instance [PROC-030]', () => {
  const starts = (type: string, environment: string): boolean =>
    startsAtBoot({ owner: { type }, environment } as unknown as Parameters<typeof startsAtBoot>[0]) // What the rule reads.
  assert.deepEqual(
    [starts('node', 'development'), starts('instance', 'production'), starts('instance', 'development')],
    [true, true, false],
  )
})
