import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type CodedError, maskText } from '@fleet/kernel'
import { makeWorld, type World } from '#/environment/world.test.ts'

const answer = (world: World, changed: boolean, key_count: number) => ({
  instance_id: world.instance.id,
  operation: 'import',
  changed,
  key_count,
})

test('the file of the application directory is stored in one round trip [ENV-009, ENV-013, ENV-018]', async () => {
  await using world = await makeWorld({ directory: 'apps/site' })
  world.putFile('# comment\nexport A=1\n\nB="two $A" # more\nC=\'$A\'\n')
  assert.deepEqual(await world.import(), answer(world, true, 3))
  assert.deepEqual(await world.stored(), { A: '1', B: 'two 1', C: '$A' })
  assert.equal(world.pool.executed.length, 1)
  assert.deepEqual(world.calls[0]?.notes, {
    target: world.node.id,
    subject: `instance:${world.instance.id}`,
    properties: { changed: true, imported: 3 },
  })
})

test('a stored key refuses the whole import with its name [ENV-030]', async () => {
  await using world = await makeWorld()
  await world.update('B', 'stored')
  world.putFile('A=1\nB=stored\nC=3\n')
  await assert.rejects(world.import(), {
    code: 'env.import_conflict',
    status: 409,
    details: { keys: 'B', count: 1 },
  })
  assert.deepEqual(await world.stored(), { B: 'stored' })
})

test('with replace matching keys take the file value, new ones are added, others stay [ENV-031]', async () => {
  await using world = await makeWorld()
  await world.update('B', 'stored')
  await world.update('Z', 'stays')
  world.putFile('A=1\nB=file\n')
  assert.deepEqual(await world.import(true), answer(world, true, 3))
  assert.deepEqual(await world.stored(), { A: '1', B: 'file', Z: 'stays' })
  assert.deepEqual(await world.import(true), answer(world, false, 3))
})

for (const [what, text, details, message] of [
  ['a duplicate key', 'A=1\nA=2\n', { rule: 'key_duplicate', line: 2, key: 'A' }, /more than once/],
  [
    'an unresolved expansion',
    'A=1\nB=$HOME\n',
    { rule: 'expansion_unresolved', line: 2, key: 'B' },
    /does not have before it/,
  ],
  ['invalid syntax', 'A=1\nwords\n', { rule: 'line_syntax', line: 2 }, /a comment, or a key/],
  [
    'an unknown placeholder',
    'A=1\nB={{x}}\n',
    { rule: 'placeholder_unknown', key: 'B', placeholder: '{{x}}' },
    /\{\{instance\.domain\}\}/,
  ],
  [
    'two braces that end no placeholder',
    `A=1\nB='{"a":{"b":1}}'\n`,
    { rule: 'placeholder_unresolved', key: 'B', placeholder: '}}' },
    /Put a space between the braces/,
  ],
  ['more than 1 MiB', `A=1\n#${'x'.repeat(1024 * 1024)}`, { rule: 'file_size' }, /larger than 1 MiB/],
] as const) {
  test(`${what} refuses the whole import and stores nothing [ENV-029]`, async () => {
    await using world = await makeWorld()
    world.putFile(text)
    await assert.rejects(world.import(), (error: CodedError) => {
      const { node, path, reason: _reason, ...rest } = error.details ?? {}
      assert.deepEqual([error.code, error.status, rest], ['env.configuration_invalid', 422, details])
      assert.deepEqual(
        [node, path],
        [{ id: world.node.id, name: world.node.name }, join(world.directory, '.env')],
      )
      assert.match(error.message, message)
      assert.equal(maskText(error.message), error.message)
      return true
    })
    assert.deepEqual(await world.stored(), {})
  })
}

test('a file of 1 MiB with 1,024 keys is imported and synchronized whole [ENV-079, ENV-081]', async () => {
  await using world = await makeWorld()
  const text = Array.from(
    { length: 1024 },
    (_, i) => `K${String(i).padStart(4, '0')}="${'x'.repeat(1015)}"\n`,
  ).join('')
  assert.equal(text.length, 1024 * 1024)
  world.putFile(text, 0o644)
  assert.deepEqual(await world.import(), answer(world, true, 1024))
  assert.partialDeepStrictEqual(await world.sync(), { changed: true, key_count: 1024 })
  assert.equal(world.fileText(), text)
})

test('a missing file is reported and an example is never read [ENV-025, ENV-026]', async () => {
  await using world = await makeWorld()
  writeFileSync(join(world.directory, '.env.example'), 'A=1\n')
  await assert.rejects(world.import(), { code: 'env.import_source_missing', status: 404 })
  assert.deepEqual(await world.stored(), {})
})

test('an Instance without a stored configuration gets that of its file, or none where there is no file; any other error is its own [INS-067]', async () => {
  await using world = await makeWorld()
  await world.importFirst()
  assert.deepEqual(await world.stored(), {})
  world.putFile('A=1\nA=2\n')
  await assert.rejects(world.importFirst(), { code: 'env.configuration_invalid' })
  world.pool.failBefore(() => true)
  await assert.rejects(world.importFirst(), { code: 'node.unreachable' })
  world.pool.clearFaults()
  assert.deepEqual(await world.stored(), {})
  for (const text of ['A=1\n', 'A=2\nB=2\n']) {
    world.putFile(text)
    await world.importFirst()
    assert.deepEqual(await world.stored(), { A: '1' })
  }
})

test('an unsafe file is refused with its reason and the Node [ENV-027]', async () => {
  for (const [reason, arrange] of [
    ['link', (file: string) => symlinkSync('/etc/hostname', file)],
    ['directory', (file: string) => mkdirSync(file)],
    ['directory_missing', (file: string) => rmSync(join(file, '..'), { recursive: true })],
  ] as const) {
    await using world = await makeWorld()
    arrange(join(world.directory, '.env'))
    const node = { id: world.node.id, name: world.node.name }
    await assert.rejects(world.import(), {
      code: 'env.source_unsafe',
      status: 409,
      details: { node, reason, path: join(world.directory, '.env'), user: userInfo().username },
    })
  }
})

test('APP_URL of the first framework follows the Route, whatever the file says [ENV-032]', async () => {
  for (const text of ['APP_URL=http://localhost\n', 'A=1\n']) {
    await using world = await makeWorld({ framework: 'laravel' })
    world.putFile(text)
    await world.import()
    assert.equal((await world.stored())['APP_URL'], 'https://{{instance.domain}}')
  }
})

test('an Instance without a Route of its own keeps its APP_URL and can be synchronized after an import', async () => {
  await using world = await makeWorld({ framework: 'laravel', type: 'laravel-package' })
  world.putFile('APP_URL=http://localhost\n')
  await world.import()
  assert.deepEqual(await world.stored(), { APP_URL: 'http://localhost' })
  assert.partialDeepStrictEqual(await world.sync(), { operation: 'sync', key_count: 1 })
  await world.update('APP_URL', 'https://elsewhere.test')
  assert.partialDeepStrictEqual(await world.sync(), { changed: true })
  assert.equal(world.fileText(), 'APP_URL="https://elsewhere.test"\n')
})

test('a value that readers end at different places refuses the file, with what helps', async () => {
  await using world = await makeWorld()
  world.putFile('FOO=foo# comment\n')
  await assert.rejects(world.import(), (error: { details?: { rule?: string; hint?: string } }) => {
    assert.equal(error.details?.rule, 'hash_unquoted')
    assert.match(error.details?.hint ?? '', /Quote the value/)
    return true
  })
  assert.deepEqual(await world.stored(), {})
})

test('a stored APP_URL is no conflict with a file that has none [ENV-030, ENV-032]', async () => {
  await using world = await makeWorld({ framework: 'laravel' })
  await world.update('APP_URL', 'https://{{instance.domain}}')
  world.putFile('A=1\n')
  assert.deepEqual(await world.import(), answer(world, true, 2))
})

test('no APP_URL is made for the second framework, and its own stays [PRJ-025]', async () => {
  await using world = await makeWorld({ framework: 'symfony' })
  world.putFile('A=1\n')
  await world.import()
  assert.deepEqual(await world.stored(), { A: '1' })
})

test('a non-empty APP_KEY is kept and a missing one stays missing [ENV-033, ENV-035]', async () => {
  await using world = await makeWorld({ framework: 'laravel' })
  world.putFile('APP_KEY=base64:abc=\n')
  await world.import()
  assert.equal((await world.stored())['APP_KEY'], 'base64:abc=')
  await using other = await makeWorld({ framework: 'laravel' })
  other.putFile('A=1\n')
  await other.import()
  assert.equal((await other.stored())['APP_KEY'], undefined)
})

test('an empty APP_KEY takes the stored key, or a random one of 32 bytes [ENV-034]', async () => {
  await using world = await makeWorld({ framework: 'symfony' })
  world.putFile('APP_KEY=\n')
  await world.import()
  const { APP_KEY: made = '' } = await world.stored()
  assert.match(made, /^base64:/)
  assert.equal(Buffer.from(made.slice('base64:'.length), 'base64').length, 32)
  assert.deepEqual(await world.import(true), answer(world, false, 1))
  assert.equal((await world.stored())['APP_KEY'], made)
  await using other = await makeWorld({ framework: 'symfony' })
  other.putFile('APP_KEY=\n')
  await other.import()
  assert.notEqual((await other.stored())['APP_KEY'], made)
})

test('nothing is made for an Instance without a framework [ENV-036]', async () => {
  await using world = await makeWorld({ php: true })
  world.putFile('APP_KEY=\nAPP_URL=http://localhost\n')
  await world.import()
  assert.deepEqual(await world.stored(), { APP_KEY: '', APP_URL: 'http://localhost' })
})

test('a Node that is not active or cannot be reached stops the import [ENV-016]', async () => {
  await using inactive = await makeWorld({ node: { status: 'failed' } })
  await assert.rejects(inactive.import(), { code: 'node.not_active', status: 409 })
  assert.deepEqual(inactive.pool.commands, [])
  await using cut = await makeWorld()
  cut.pool.failBefore(1)
  await assert.rejects(cut.import(), { code: 'node.unreachable' })
  await using lost = await makeWorld()
  lost.putFile('A=1\n')
  lost.pool.loseReplyOf(1)
  await assert.rejects(lost.import(), { code: 'node.connection_lost' })
  assert.deepEqual(await lost.stored(), {})
})

test('an Instance without a source profile has no known place to read', async () => {
  await using world = await makeWorld({ instance: { profile: null } })
  await assert.rejects(world.import(), { code: 'instance.source_profile_missing', status: 409 })
})

test('an Instance of another state or placement is refused before the Node is asked [ENV-020, ENV-021]', async () => {
  await using removing = await makeWorld({ instance: { status: 'removing' } })
  await assert.rejects(removing.import(), { code: 'env.owner_unavailable' })
  await using roleless = await makeWorld({ roles: [] })
  await assert.rejects(roleless.import(), { code: 'instance.placement_unavailable' })
  assert.deepEqual([...removing.pool.commands, ...roleless.pool.commands], [])
})
