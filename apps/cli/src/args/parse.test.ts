import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError, EXIT } from '#/exit.ts'
import { readTree } from '#/tree.ts'
import { readWithAssignments } from './assignments.ts'
import { commandFirst } from './globals.ts'
import { parseLine } from './parse.ts'
import { readMembers, requireMembers } from './values.ts'

const tree = readTree()
const command = (name: string) => {
  const found = tree.commands[name]
  assert.ok(found)
  return found
}
const members = (name: string, ...words: readonly string[]): unknown => {
  const spec = command(name)
  const line = parseLine(words, [...spec.arguments, ...spec.options])
  const read = name === 'node:settings' ? readWithAssignments(line, spec) : readMembers(line, spec)
  requireMembers(read, spec)
  return read
}
const refusal = (name: string, ...words: readonly string[]): string => {
  try {
    members(name, ...words)
  } catch (error) {
    assert.ok(error instanceof ClientError)
    assert.equal(error.exit, EXIT.usage)
    return error.message
  }
  return assert.fail('nothing was refused')
}

test('arguments come in path order, options with a space or an equals sign', () => {
  assert.deepEqual(members('env:update', 'shop/default', 'A', '--value', '-x'), {
    instance: 'shop/default',
    key: 'A',
    value: '-x',
  })
  assert.deepEqual(members('env:update', '1', 'A', 'a b'), { instance: 1, key: 'A', value: 'a b' })
  assert.deepEqual(members('env:update', '1', 'A', '--value=a=b'), { instance: 1, key: 'A', value: 'a=b' })
  assert.deepEqual(members('instance:create', 'shop', '2', 'default'), {
    project_id: 'shop',
    node_id: 2,
    name: 'default',
  })
})

test('a member of the path may be given as an option too, but once', () => {
  assert.deepEqual(members('node:show', '--node', 'node-1'), { node: 'node-1' })
  assert.match(refusal('node:show', '1', '--node', '2'), /NODE was given twice/)
})

test('a list as the last argument takes all words that follow, also those that look like options after --', () => {
  const start = ['process:create', 'node', '1', 'queue'] as const
  const rest = { target_type: 'node', target_id: 1, name: 'queue' }
  assert.deepEqual(members(...start, '/bin/sleep', '10'), { ...rest, command: ['/bin/sleep', '10'] })
  assert.deepEqual(members(...start, '--start', '--', '/bin/sh', '-c', 'true', '--start'), {
    ...rest,
    start: true,
    command: ['/bin/sh', '-c', 'true', '--start'],
  })
  assert.deepEqual(members(...start, '--command', '/bin/true'), { ...rest, command: ['/bin/true'] })
})

test('flags are set, unset and refused a text', () => {
  assert.deepEqual(members('env:import', '1', '--replace'), { instance: 1, replace: true })
  assert.deepEqual(members('env:import', '1', '--no-replace'), { instance: 1, replace: false })
  assert.deepEqual(members('env:import', '1', '--replace=false'), { instance: 1, replace: false })
  assert.match(refusal('env:import', '1', '--replace=maybe'), /accepts no value except true or false/)
})

test('a nullable member is cleared by its no-option', () => {
  assert.deepEqual(members('project:update', '1', '--no-task-check'), { project: 1, task_check: null })
  const callers = (...words: string[]) => members('node:firewall:callers', '1', ...words)
  assert.deepEqual(callers('--accounts', 'a', '--accounts', 'b'), { node: 1, accounts: ['a', 'b'] })
  assert.deepEqual(callers('--no-accounts'), { node: 1, accounts: null })
  assert.match(refusal('node:firewall:callers', '1', '--accounts', 'a', '--no-accounts'), /more than once/)
})

test('what is missing, too much or of the wrong kind is said by name', () => {
  assert.equal(refusal('node:rename', 'node-1'), 'Argument NAME is missing.')
  assert.match(refusal('project:create', 'shop', 'https://x/y.git'), /Option --type is missing/)
  assert.match(refusal('node:show', '1', '2'), /Unexpected argument: 2/)
  assert.match(refusal('activity:list', '--limit', 'x'), /--limit takes a whole number, not "x"/)
  assert.match(refusal('activity:list', '--limit', '1', '--limit', '2'), /more than once/)
  assert.match(refusal('activity:list', '--status', 'done'), /one of running, succeeded, failed/)
  assert.match(refusal('activity:list', '--limit'), /--limit needs a value/)
  assert.match(refusal('node:list', '--al'), /Unknown option: --al/)
})

test('an object is given as JSON or by its members', () => {
  const create = ['shop', 'https://x/y.git', '--type', 'monorepo', '--root', '.'] as const
  const rest = { slug: 'shop', repository_url: 'https://x/y.git', type: 'monorepo', root: '.' }
  assert.deepEqual(members('project:create', ...create, '--defaults', '{"a":{"b":1}}'), {
    ...rest,
    defaults: { a: { b: 1 } },
  })
  assert.deepEqual(members('project:create', ...create, '--defaults.a.b=1', '--defaults.a.c', 'null'), {
    ...rest,
    defaults: { a: { b: '1', c: null } },
  })
  assert.deepEqual(members('project:create', ...create, '--no-defaults'), { ...rest, defaults: null })
  assert.match(refusal('project:create', ...create, '--defaults', 'a=1'), /takes JSON/)
  assert.match(refusal('project:create', ...create, '--defaults.__proto__.x=1'), /not a valid member name/)
})

test('members of an object have their types, a list by repeating its option', () => {
  const schedule = (...words: readonly string[]) =>
    [
      'project:schedule-definition:create',
      '1',
      '--name',
      'nightly',
      '--environments',
      'production',
      ...words,
    ] as const
  const process = (...words: readonly string[]) =>
    [
      'project:process-definition:create',
      '1',
      '--name',
      'queue',
      '--environments',
      'production',
      ...words,
    ] as const
  const whole = schedule('--spec.calendar=daily', '--spec.command=true', '--spec.timeout_seconds=60')
  assert.deepEqual(members(...whole), {
    project: 1,
    name: 'nightly',
    environments: ['production'],
    spec: { calendar: 'daily', command: 'true', timeout_seconds: 60 },
  })
  assert.match(
    refusal(...schedule('--spec.timeout_seconds=soon')),
    /^--spec\.timeout_seconds takes a whole number, not "soon"\.$/,
  )
  assert.match(
    refusal(...schedule('--spec.calendar=a', '--spec.calendar=b')),
    /--spec\.calendar was given more/,
  )
  const command = ['--spec.runtime=systemd', '--spec.command=/bin/true', '--spec.command=-v'] as const
  const more = ['--spec.keep_alive=true', '--spec.volumes', '[{"source":"a","target":"/a"}]'] as const
  assert.deepEqual(members(...process(...command, ...more)), {
    project: 1,
    name: 'queue',
    environments: ['production'],
    spec: {
      runtime: 'systemd',
      command: ['/bin/true', '-v'],
      keep_alive: true,
      volumes: [{ source: 'a', target: '/a' }],
    },
  })
  assert.match(
    refusal('process:create', 'node', '1', 'db', '--volumes.source=a'),
    /^--volumes takes a list, which has no single members\.$/,
  )
  assert.match(
    refusal('process:create', 'node', '1', 'db', '--volumes', 'a'),
    /^--volumes takes a list in JSON\.$/,
  )
})

test('settings are KEY=VALUE words, each with its own refusal [NODE-112]', () => {
  assert.deepEqual(members('node:settings', 'node-1', 'apps.path=/srv'), {
    node: 'node-1',
    settings: { apps: { path: '/srv' } },
  })
  assert.deepEqual(members('node:settings', 'node-1', 'apps.path='), {
    node: 'node-1',
    settings: { apps: { path: null } },
  })
  assert.deepEqual(members('node:settings', 'node-1', '--settings', '{"apps":null}'), {
    node: 'node-1',
    settings: { apps: null },
  })
  const code = (...words: readonly string[]): string => {
    try {
      return JSON.stringify(members('node:settings', ...words))
    } catch (error) {
      return error instanceof ClientError ? error.code : String(error)
    }
  }
  assert.equal(code('1', 'app.path=/srv'), 'node.setting_unknown')
  assert.equal(code('1', 'apps.path=/a', 'apps.path=/b'), 'node.setting_duplicate')
  assert.equal(code('1', 'apps.path'), 'node.setting_invalid')
  assert.equal(code('1'), 'node.setting_required')
  assert.equal(code(), 'usage')
})

test('an option of a command goes before the one that every command has', () => {
  const spec = command('activity:list')
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const line = parseLine(['--request-id', id, '--json'], spec.options)
  assert.deepEqual(readMembers(line, spec), { request_id: id })
  assert.equal(line.globals.requestId, undefined)
  assert.equal(line.globals.json, true)
})

test('the options of every command are read and checked', () => {
  const { globals } = parseLine(['-y', '--gateway', 'office', '--from=10.0.0.1', '--timeout', '1.5'], [])
  assert.deepEqual(globals, {
    json: false,
    yes: true,
    help: false,
    gateway: 'office',
    from: '10.0.0.1',
    requestId: undefined,
    timeoutSeconds: 1.5,
  })
  assert.throws(() => parseLine(['--timeout', 'soon'], []), /must be a number of seconds/)
  assert.throws(() => parseLine(['--request-id', '1'], []), /must be a UUID/)
})

test('options of every command may stand before the command', () => {
  assert.deepEqual(commandFirst(['--from', 'node-2', '--json', 'node:show', '1']), [
    'node:show',
    '--from',
    'node-2',
    '--json',
    '1',
  ])
  assert.deepEqual(commandFirst(['--from=node-2', 'node:list']), ['node:list', '--from=node-2'])
  for (const words of [['--version'], ['-h'], ['node:list', '--json'], []])
    assert.deepEqual(commandFirst(words), words)
})

test('a secret option takes no value on the command line, and the refusal does not repeat one', () => {
  const words = ['shop', '--driver', 'redis', '--host', 'a']
  assert.deepEqual(members('database:create', ...words, '--password'), {
    slug: 'shop',
    driver: 'redis',
    host: 'a',
    password: true,
  })
  assert.deepEqual(members('database:update', 'shop', '--no-password', '--no-node'), {
    slug: 'shop',
    password: null,
    node_id: null,
  })
  const given = [
    ['database:create', ...words, '--password=hunter2'],
    ['database:create', ...words, '--password', 'hunter2'],
    ['database:user:create', 'shop', 'reporter', 'hunter2'],
  ] as const
  for (const [name, ...more] of given) {
    const refused = refusal(name, ...more)
    assert.match(refused, /Option --password takes no value/)
    assert.ok(!refused.includes('hunter2'))
  }
})

test('of a secret argument with blanks that was not quoted nothing is repeated', () => {
  const refused = refusal('env:update', 'shop/default', 'KEY', 'hunter2', 'hunter3')
  assert.equal(refused, 'There is an argument too many. Put a VALUE with blanks in quotes.')
})
