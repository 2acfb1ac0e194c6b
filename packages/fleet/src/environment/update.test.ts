import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, Deadline, systemClock } from '@fleet/kernel'
import { addInstance, fakeCall } from '@fleet/testing'
import { makeWorld } from '#/environment/world.test.ts'

test('an update stores a value, answers names and counts, and contacts no Node [ENV-010, ENV-013, ENV-015, ENV-017]', async () => {
  await using world = await makeWorld()
  world.pool.failBefore(() => true)
  const answer = { instance_id: world.instance.id, operation: 'update', changed: true }
  assert.deepEqual(await world.update('A', 'one'), { ...answer, key_count: 1 })
  assert.deepEqual(await world.update('B', 'two'), { ...answer, key_count: 2 })
  assert.deepEqual(await world.stored(), { A: 'one', B: 'two' })
  assert.deepEqual(world.pool.commands, [])
})

test('the same value again changes nothing [ENV-014]', async () => {
  await using world = await makeWorld()
  await world.update('A', 'one')
  const rows = () => world.store.db.selectFrom('environment_values').selectAll().execute()
  const before = await rows()
  assert.partialDeepStrictEqual(await world.update('A', 'one'), { changed: false, key_count: 1 })
  assert.deepEqual(await rows(), before)
})

test('an empty text, false and 0 are values of their own [ENV-037]', async () => {
  await using world = await makeWorld()
  for (const value of ['', 'false', '0', '']) {
    assert.partialDeepStrictEqual(await world.update('A', value), { changed: true })
    assert.deepEqual(await world.stored(), { A: value })
  }
})

test('the file stays as it is until it is synchronized [ENV-001]', async () => {
  await using world = await makeWorld()
  world.putFile('A=1\n')
  await world.update('A', 'two')
  assert.equal(world.fileText(), 'A=1\n')
  // What is stored is what counts, whatever the file said.
  for (const text of ['A=1\n', 'A=three\n']) {
    world.putFile(text)
    await world.sync()
    assert.equal(world.fileText(), 'A="two"\n')
  }
})

test('values are stored sealed for their Instance and key [ENV-003]', async () => {
  await using world = await makeWorld()
  await world.update('A', 'canary-plain')
  const [row] = await world.store.db.selectFrom('environment_values').selectAll().execute()
  assert.ok(row)
  assert.doesNotMatch(JSON.stringify(row), /canary/)
  const place = (text: string) => ({ table: 'environment_values', column: 'value', row: text })
  assert.equal(world.store.cipher.open(place(`${world.instance.id}/A`), row.value).reveal(), 'canary-plain')
  assert.throws(() => world.store.cipher.open(place(`${world.instance.id}/B`), row.value))
})

const INVALID: ReadonlyArray<readonly [string, string, object]> = [
  ['1A', 'x', { rule: 'key_name', key: '1A' }],
  ['A-B', 'x', { rule: 'key_name', key: 'A-B' }],
  ['', 'x', { rule: 'key_name' }],
  ['a value=1', 'x', { rule: 'key_name' }],
  ['K'.repeat(256), 'x', { rule: 'key_name' }],
  ['A', 'x'.repeat(65_537), { rule: 'value_size', key: 'A' }],
  ['A', 'a\0b', { rule: 'value_nul', key: 'A' }],
  ['A', '\uD800', { rule: 'value_encoding', key: 'A' }],
  ['A', 'x {{instance.name}}', { rule: 'placeholder_unknown', key: 'A', placeholder: '{{instance.name}}' }],
  ['A', '{"a":{"b":1}}', { rule: 'placeholder_unresolved', key: 'A', placeholder: '}}' }],
  ['A', 'half {{ open', { rule: 'placeholder_unresolved', key: 'A', placeholder: '{{' }],
]

for (const [key, value, details] of INVALID) {
  const rule = 'rule' in details ? String(details.rule) : ''
  test(`a key or value that breaks ${rule} is refused with names only: ${key.slice(0, 9)} [ENV-075, ENV-077, ENV-078]`, async () => {
    await using world = await makeWorld()
    await assert.rejects(world.update(key, value), {
      code: 'env.configuration_invalid',
      status: 422,
      details,
    })
    assert.deepEqual(await world.stored(), {})
  })
}

test('a refusal says what the rule asks for', async () => {
  await using world = await makeWorld()
  await assert.rejects(world.update('1A', 'x'), {
    message: 'A key has 1 to 255 letters, digits and underscores, and does not begin with a digit.',
  })
  await assert.rejects(world.update('A', '{{ instance.domain }}'), {
    message: 'The placeholders are `{{instance.domain}}` and `{{instance.environment}}`, without spaces.',
  })
  await assert.rejects(world.update('A', '{"a":{"b":1}}'), {
    message: 'A value has no `{{` or `}}` but those of its placeholders. Put a space between the braces.',
  })
})

test('a key of 255 characters and a value of 65,536 bytes are stored [ENV-077, ENV-078]', async () => {
  await using world = await makeWorld()
  await world.update('K'.repeat(255), 'é'.repeat(32_768))
  assert.deepEqual(Object.values(await world.stored()), ['é'.repeat(32_768)])
})

test('both placeholders are stored as they stand [ENV-005]', async () => {
  await using world = await makeWorld()
  await world.update('A', '{{instance.domain}} {{instance.environment}}')
  assert.deepEqual(await world.stored(), { A: '{{instance.domain}} {{instance.environment}}' })
})

test('1,024 keys are stored, one more is refused, and a stored one still changes [ENV-079]', async () => {
  await using world = await makeWorld()
  world.putFile(Array.from({ length: 1024 }, (_, i) => `K${i}=x\n`).join(''))
  await world.import()
  await assert.rejects(world.update('ONE_MORE', 'x'), {
    code: 'env.configuration_invalid',
    details: { rule: 'key_count' },
  })
  assert.partialDeepStrictEqual(await world.update('K7', 'y'), { changed: true, key_count: 1024 })
})

test('values that would not fit one file of 1 MiB together are refused [ENV-080]', async () => {
  await using world = await makeWorld()
  for (let i = 0; i < 15; i += 1) await world.update(`K${i}`, 'x'.repeat(65_536))
  await assert.rejects(world.update('K15', 'x'.repeat(65_536)), {
    code: 'env.configuration_invalid',
    details: { rule: 'file_size' },
  })
  assert.partialDeepStrictEqual(await world.update('K15', 'x'), { key_count: 16 })
})

test('the first PHP framework takes APP_URL in one form only, the second and others in any [ENV-038, PRJ-025]', async () => {
  for (const framework of ['laravel', 'symfony', null] as const) {
    await using world = await makeWorld({ framework })
    const other = world.update('APP_URL', 'https://elsewhere.test')
    if (framework === 'laravel') {
      await assert.rejects(other, {
        code: 'env.configuration_invalid',
        details: { rule: 'app_url', key: 'APP_URL' },
      })
    } else await other
    assert.partialDeepStrictEqual(await world.update('APP_URL', 'https://{{instance.domain}}'), {
      key_count: 1,
    })
  }
})

test('an Instance of the first framework without a Route of its own takes any APP_URL', async () => {
  await using world = await makeWorld({ framework: 'laravel', type: 'laravel-package' })
  assert.partialDeepStrictEqual(await world.update('APP_URL', 'http://localhost:8000'), { key_count: 1 })
})

test('APP_ENV and APP_DEBUG are keys like any other [ENV-067]', async () => {
  await using world = await makeWorld({ framework: 'laravel' })
  await world.update('APP_ENV', 'production')
  await world.update('APP_DEBUG', 'maybe')
  assert.deepEqual(await world.stored(), { APP_ENV: 'production', APP_DEBUG: 'maybe' })
})

test('an unknown Instance is not found [ENV-007]', async () => {
  await using world = await makeWorld()
  await assert.rejects(world.update('A', 'x', 999999), { code: 'instance.not_found', status: 404 })
})

test('an Instance that is not active is refused [ENV-020]', async () => {
  await using world = await makeWorld({ instance: { status: 'reserved' } })
  await assert.rejects(world.update('A', 'x'), { code: 'env.owner_unavailable', status: 409 })
})

test('a Node without exactly one app role is refused [ENV-021]', async () => {
  for (const roles of [[], ['database'], ['app-dev', 'app-prod']] as const) {
    await using world = await makeWorld({ roles })
    await assert.rejects(world.update('A', 'x'), { code: 'instance.placement_unavailable', status: 409 })
  }
})

test('an update works while the Node is not active [ENV-017]', async () => {
  await using world = await makeWorld({ node: { status: 'failed' } })
  assert.partialDeepStrictEqual(await world.update('A', 'x'), { changed: true })
})

test('the Activity names Node and Instance and holds neither key nor value [ENV-002]', async () => {
  await using world = await makeWorld()
  await world.update('A', 'canary')
  assert.deepEqual(world.calls[0]?.notes, {
    target: world.node.id,
    subject: `instance:${world.instance.id}`,
    properties: { changed: true },
  })
})

test('two updates of one Instance at once are both stored [ENV-061]', async () => {
  await using world = await makeWorld()
  await Promise.all([world.update('A', 'one'), world.update('B', 'two'), world.update('C', 'three')])
  assert.deepEqual(await world.stored(), { A: 'one', B: 'two', C: 'three' })
})

test('a competitor gets the holder when its wait ends, and another Instance is not delayed [ENV-061, ENV-062]', async () => {
  await using world = await makeWorld()
  const other = await addInstance(world.store, {
    project_id: world.instance.project_id,
    node_id: world.node.id,
  })
  const holder = fakeCall({ operation: 'env:sync' })
  await world.domains.instances.instances.withOperationLock(
    holder,
    world.instance.id,
    'env.operation_busy',
    async () => {
      assert.partialDeepStrictEqual(await world.update('A', 'x', other.id), { changed: true })
      const waiting = fakeCall({ operation: 'env:update', deadline: new Deadline(systemClock, 20.1, 20) })
      const input = { instance: world.instance.id, key: 'A', value: 'x' }
      const busy: unknown = await world.handlers['env:update']({ call: waiting, input }).catch(
        (error: unknown) => error,
      )
      assert.ok(busy instanceof CodedError)
      assert.equal(busy.code, 'env.operation_busy')
      assert.partialDeepStrictEqual(busy.details, {
        holder: { operation: 'env:sync', request_id: holder.requestId },
      })
    },
  )
  assert.partialDeepStrictEqual(await world.update('A', 'x'), { changed: true })
})
