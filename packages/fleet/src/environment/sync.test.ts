import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Command } from '@fleet/shell'
import { fakeCall, fakeLock } from '@fleet/testing'
import type { Call } from '#/call.ts'
import { storedValues } from '#/environment/queries.ts'
import { sealValue } from '#/environment/sealed-values.ts'
import { makeWorld, type World } from '#/environment/world.test.ts'
import { makeSession } from '#/nodes/api.ts'

const answer = (world: World, changed: boolean, key_count: number) => ({
  instance_id: world.instance.id,
  operation: 'sync',
  changed,
  key_count,
})
const known = async ({ store }: World) =>
  (await store.db.selectFrom('environment_files').select(['known_keys', 'pending_keys']).execute())[0]

test('a changed file is replaced in two round trips, an unchanged one confirmed in one [ENV-011, ENV-013, ENV-014, ENV-046]', async () => {
  await using world = await makeWorld()
  await world.update('GREETING', 'hello')
  assert.deepEqual(await world.sync(), answer(world, true, 1))
  assert.equal(world.pool.executed.length, 2)
  assert.equal(world.fileText(), 'GREETING="hello"\n')
  const { ino } = statSync(join(world.directory, '.env'))
  assert.deepEqual(await world.sync(), answer(world, false, 1))
  assert.equal(world.pool.executed.length, 3)
  assert.equal(statSync(join(world.directory, '.env')).ino, ino)
})

test('values that somebody changed in the file are named when the stored ones replace them, those that were stored since are not [ENV-045]', async () => {
  const route = { domain: 'shop.test', healthy: true, inTransition: false }
  await using world = await makeWorld({ route })
  for (const [key, value] of [
    ['HOST', 'smtp.old'],
    ['PASSWORD', 'generated'],
    ['URL', 'https://{{instance.domain}}/'],
    ['KEPT', 'as it is'],
  ] as const)
    await world.update(key, value)
  assert.equal((await world.sync()).replaced_keys, undefined)
  const text = world.fileText()
  world.putFile(`# mine\n${text.replace('smtp.old', 'smtp.new').replace('generated', 'typed here alone')}`)
  assert.deepEqual((await world.sync()).replaced_keys, ['HOST', 'PASSWORD'])
  assert.equal(world.fileText(), text)
  const { db } = world.store
  await db.updateTable('environment_values').set({ updated_at: '2026-01-01T00:00:00.000Z' }).execute()
  await db.updateTable('environment_files').set({ synced_at: '2026-01-01T00:00:01.000Z' }).execute()
  await world.update('HOST', 'smtp.stored')
  world.putFile(text.replace('generated', 'typed again'))
  await world.syncUnder('next.test')
  assert.match(world.fileText(), /smtp\.stored/)
  assert.deepEqual(world.calls.at(-1)?.notes.properties['replaced_keys'], ['PASSWORD'])
  world.putFile('HOST=one\nHOST=two\n')
  assert.deepEqual((await world.sync()).replaced_keys, ['HOST'])
})

test('whether a value was stored since, or changed in the file, is told also by a clock that was set back meanwhile', async () => {
  await using world = await makeWorld()
  const { db } = world.store
  await world.update('HOST', 'one')
  await world.sync()
  const later = '2099-01-01T00:00:00.000Z'
  await db.updateTable('environment_files').set({ synced_at: later }).execute()
  await world.update('HOST', 'two')
  assert.equal((await world.sync()).replaced_keys, undefined)
  await db.updateTable('environment_files').set({ synced_at: '2026-01-01T00:00:00.000Z' }).execute()
  await db.updateTable('environment_values').set({ updated_at: later }).execute()
  await world.update('PORT', '25')
  await world.sync()
  world.putFile(world.fileText().replace('two', 'somebody'))
  assert.deepEqual((await world.sync()).replaced_keys, ['HOST'])
})

test('a synchronization runs its two scripts on the Node and nothing else [ENV-058]', async () => {
  await using world = await makeWorld({ framework: 'laravel', php: true })
  await world.update('A', '1')
  await world.sync()
  assert.deepEqual(
    world.pool.executed.map((shown) => /^script '([^']+)'/.exec(shown)?.[1]),
    ['check the environment file', 'write the environment file'],
  )
})

test('the file has mode 0600, sorted quoted keys and nothing of the old comments [ENV-004, ENV-044, ENV-045]', async () => {
  await using world = await makeWorld({ directory: 'apps/site' })
  world.putFile('# comment\nB=2\nA="it\'s $B 5"\n'.replace('$B ', ''), 0o644)
  await world.import()
  await world.sync()
  assert.equal(world.mode(), '600')
  assert.equal(world.fileText(), 'A="it\'s 5"\nB="2"\n')
  assert.deepEqual(world.entries(), ['.env'])
})

test('a matching file that others may read is written anew [ENV-046]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  await world.sync()
  chmodSync(join(world.directory, '.env'), 0o640)
  assert.deepEqual(await world.sync(), answer(world, true, 1))
  assert.equal(world.mode(), '600')
})

test('the placeholders stand for the domain of the Route and the layout of the Node [ENV-040, ENV-041]', async () => {
  for (const [role, environment] of [['app-dev', 'development']] as const) {
    const route = { domain: 'shop.test', healthy: true, inTransition: false }
    await using world = await makeWorld({ roles: [role], route })
    await world.update('URL', 'https://{{instance.domain}}/{{instance.environment}}')
    await world.update('APP_ENV', 'production')
    await world.sync()
    assert.equal(world.fileText(), `APP_ENV="production"\nURL="https://shop.test/${environment}"\n`)
  }
})

test('a Route is needed only for a value that names the domain [ENV-022, ENV-023]', async () => {
  for (const route of [undefined, { domain: 'shop.test', healthy: false, inTransition: false }]) {
    await using world = await makeWorld(route ? { route } : {})
    await world.update('A', '{{instance.environment}}')
    assert.deepEqual(await world.sync(), answer(world, true, 1))
    await world.update('B', '{{instance.domain}}')
    await assert.rejects(world.sync(), {
      code: 'env.owner_unavailable',
      status: 409,
      details: { reason: 'route_required', keys: 'B', count: 1 },
    })
    assert.equal(world.fileText(), 'A="development"\n')
  }
})

test('a Route in transition stops the synchronization before the Node is asked [ENV-024]', async () => {
  await using world = await makeWorld({ route: { domain: 'shop.test', healthy: true, inTransition: true } })
  await world.update('A', '1')
  await assert.rejects(world.sync(), {
    code: 'env.owner_unavailable',
    details: { reason: 'route_in_transition' },
  })
  assert.deepEqual(world.pool.commands, [])
})

test('while its Route is replaced, the file is written under the domain that the change names', async () => {
  const route = { domain: 'shop.test', healthy: true, inTransition: true }
  await using world = await makeWorld({ route })
  await world.update('URL', 'https://{{instance.domain}}/')
  for (const domain of ['next.test', 'shop.test']) {
    await world.syncUnder(domain)
    assert.equal(world.fileText(), `URL="https://${domain}/"\n`)
  }
  await using without = await makeWorld()
  await without.update('A', '1')
  await without.syncUnder('next.test')
  await without.update('URL', 'https://{{instance.domain}}/')
  await assert.rejects(without.syncUnder('next.test'), { code: 'env.owner_unavailable' })
})

test('what is left of a placeholder stops the write and is named [ENV-042]', async () => {
  await using world = await makeWorld()
  world.putFile('A=old\n')
  // As an earlier release stored it.
  const { value } = sealValue(world.store.cipher, world.instance.id, 'A', 'half {{ open')
  await world.update('A', 'x')
  await world.store.db.updateTable('environment_values').set({ value }).execute()
  const details = { rule: 'placeholder_unresolved', key: 'A', placeholder: '{{' }
  await assert.rejects(world.sync(), { code: 'env.reference_unavailable', status: 409, details })
  assert.equal(world.fileText(), 'A=old\n')
  assert.equal(world.pool.executed.length, 1)
})

test('a key that only the file has stops the write with its name [ENV-047, ENV-048]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  const text = 'A=0\nZED=canary\nFOO="canary\nBAR=canary"\n'
  world.putFile(text)
  await assert.rejects(world.sync(), {
    code: 'env.sync_would_drop_keys',
    status: 409,
    details: { keys: 'FOO,ZED', count: 2 },
  })
  assert.equal(world.fileText(), text)
  assert.deepEqual(world.entries(), ['.env'])
})

test('what would refuse a synchronization in another application directory is found, and nothing is written [ENV-048, PRJ-042]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  world.putFile('A=0\n')
  const web = join(world.directory, 'web')
  await assert.rejects(world.requireSynchronizable('web'), { code: 'env.source_unsafe' })
  mkdirSync(web)
  await world.requireSynchronizable('web')
  writeFileSync(join(web, '.env'), 'A=0\nZED=canary\n', { mode: 0o600 })
  await assert.rejects(world.requireSynchronizable('web'), {
    code: 'env.sync_would_drop_keys',
    details: { keys: 'ZED', count: 1 },
  })
  await world.requireSynchronizable('')
  assert.equal(world.fileText(), 'A=0\n')
  assert.equal(readFileSync(join(web, '.env'), 'utf8'), 'A=0\nZED=canary\n')
  await world.sync()
  await world.requireSynchronizable('')
})

test('a file whose keys cannot be read is not replaced', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  world.putFile('A=0\n<<<<<<< canary\n')
  const details = {
    node: { id: world.node.id, name: world.node.name },
    path: join(world.directory, '.env'),
    user: userInfo().username,
    reason: 'syntax',
  }
  await assert.rejects(world.sync(), {
    code: 'env.source_unsafe',
    message:
      'The .env file on the Node has a line that cannot be read, so its keys cannot be determined. A line must be empty, a comment, or a key with `=` and a value.',
    details: { ...details, rule: 'line_syntax', line: 2 },
  })
  assert.equal(world.fileText(), 'A=0\n<<<<<<< canary\n')
  writeFileSync(details.path, Buffer.from([0x41, 0x3d, 0xff, 0x0a]))
  await assert.rejects(world.sync(), {
    code: 'env.source_unsafe',
    message: 'The .env file on the Node is not UTF-8 text, so its keys cannot be determined.',
    details: { ...details, rule: 'file_encoding', line: 1 },
  })
  // What the client says to do.
  renameSync(details.path, `${details.path}.away`)
  await world.sync()
  assert.equal(world.fileText(), 'A="1"\n')
})

test('a key of the last synchronization may be dropped, one written by hand may not [ENV-049]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  await world.update('B', '2')
  await world.sync()
  await world.store.db.deleteFrom('environment_values').where('key', '=', 'B').execute()
  assert.deepEqual(await world.sync(), answer(world, true, 1))
  assert.equal(world.fileText(), 'A="1"\n')
  world.putFile('A="1"\nB="by hand"\n')
  await assert.rejects(world.sync(), { code: 'env.sync_would_drop_keys', details: { keys: 'B', count: 1 } })
})

test('a key that Fleet itself withdrew from storage may be dropped from a file that it never wrote [ENV-049]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  await world.update('B', '2')
  world.putFile('A="1"\nB="2"\n')
  const { replace } = world.domains.environment
  await replace(fakeCall(), world.instance, async () => ({ set: new Map(), removed: ['B', 'NEVER'] }))
  world.putFile('A="1"\nB="2"\nNEVER="by hand"\n')
  const dropped = { code: 'env.sync_would_drop_keys', details: { keys: 'NEVER', count: 1 } }
  await assert.rejects(world.sync(), dropped)
  world.putFile('A="1"\nB="2"\n')
  assert.deepEqual(await world.sync(), answer(world, true, 1))
  assert.equal(world.fileText(), 'A="1"\n')
})

test('an empty configuration makes an empty file; a key is never generated, rotated or deleted [INS-135]', async () => {
  await using world = await makeWorld({ framework: 'laravel' })
  assert.deepEqual(await world.sync(), answer(world, true, 0))
  assert.equal(world.fileText(), '')
  assert.deepEqual(await world.stored(), {})

  const key = 'base64:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
  world.putFile(`APP_KEY=${key}\n`)
  await assert.rejects(world.sync(), {
    code: 'env.sync_would_drop_keys',
    details: { keys: 'APP_KEY', count: 1 },
  })
  assert.equal(world.fileText(), `APP_KEY=${key}\n`)
  await world.update('APP_KEY', key)
  await world.update('A', '1')
  for (const changed of [true, false]) {
    assert.deepEqual(await world.sync(), answer(world, changed, 2))
    assert.deepEqual(await world.stored(), { A: '1', APP_KEY: key })
    assert.match(world.fileText() ?? '', new RegExp(`^APP_KEY="${key}"$`, 'm'))
  }
})

test('a write whose answer is lost is unconfirmed, and the identical request finishes it [ENV-051]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  for (const kind of ['connection_lost', 'timeout', 'cancelled'] as const) {
    await world.update('A', kind)
    world.pool.loseReplyOf((shown) => shown.includes('write the'), kind)
    const node = { id: world.node.id, name: world.node.name }
    await assert.rejects(world.sync(), { code: 'env.sync_unconfirmed', status: 409, details: { node } })
    assert.deepEqual((await known(world))?.pending_keys, ['A'])
    world.pool.clearFaults()
    assert.deepEqual(await world.sync(), answer(world, false, 1))
    assert.deepEqual(await known(world), { known_keys: ['A'], pending_keys: null })
    assert.equal(world.fileText(), `A="${kind}"\n`)
  }
})

test('a write that was never sent is no doubt but an unreachable Node', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  for (const kind of ['unreachable', 'connection_lost', 'timeout', 'host_key_changed'] as const) {
    world.pool.failBefore((shown) => shown.includes('write the'), kind)
    const codes = {
      unreachable: 'node.unreachable',
      connection_lost: 'node.connection_lost',
      timeout: 'command.deadline_exceeded',
      host_key_changed: 'node.ssh_host_key_changed',
    }
    await assert.rejects(world.sync(), { code: codes[kind] })
    world.pool.clearFaults()
  }
  assert.deepEqual(world.entries(), [])
})

test('names of an unconfirmed write count as ours [ENV-049, ENV-051]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  await world.update('B', '2')
  world.pool.loseReplyOf((shown) => shown.includes('write the'))
  await assert.rejects(world.sync(), { code: 'env.sync_unconfirmed' })
  world.pool.clearFaults()
  await world.store.db.deleteFrom('environment_values').where('key', '=', 'B').execute()
  assert.deepEqual(await world.sync(), answer(world, true, 1))
  assert.equal(world.fileText(), 'A="1"\n')
})

test('everything on the Node is checked before the first value is decrypted [ENV-043]', async () => {
  let opened = 0
  await using world = await makeWorld({
    behind: (store) => ({
      ...store,
      cipher: {
        seal: store.cipher.seal,
        open: (place, sealed) => (opened++, store.cipher.open(place, sealed)),
      },
    }),
  })
  await world.update('A', '1')
  opened = 0
  symlinkSync('/etc/hostname', join(world.directory, '.env'))
  await assert.rejects(world.sync(), {
    code: 'env.source_unsafe',
    details: {
      node: { id: world.node.id, name: world.node.name },
      reason: 'link',
      path: join(world.directory, '.env'),
      user: userInfo().username,
    },
  })
  assert.equal(opened, 0)
})

test('an unsafe place is refused and left as it is [ENV-043]', async () => {
  await using world = await makeWorld()
  await world.update('A', '1')
  mkdirSync(join(world.directory, '.env'))
  await assert.rejects(world.sync(), { code: 'env.source_unsafe', status: 409 })
  assert.deepEqual(world.entries(), ['.env'])
})

test('a Project folder that became a link is refused, and nothing behind it is touched [ENV-027, ENV-043]', async () => {
  await using world = await makeWorld()
  world.putFile('A=1\n')
  await world.update('A', '2')
  const folder = dirname(world.directory)
  renameSync(folder, `${folder}-moved`)
  symlinkSync(`${folder}-moved`, folder)
  for (const refused of [world.sync(), world.import(true)]) {
    await assert.rejects(refused, { code: 'env.source_unsafe', status: 409 })
  }
  assert.equal(world.fileText(), 'A=1\n')
})

test('an update during a synchronization waits, so that the file is of one moment [ENV-039, ENV-061]', async () => {
  let onCommand: () => void = () => undefined
  await using world = await makeWorld({
    fakes: ({ nodes }) => {
      const { sessions } = nodes.nodes
      const overTunnel: typeof sessions.overTunnel = (call, node) => {
        const session = sessions.overTunnel(call, node)
        const send = (_call: Call, command: Command) => (onCommand(), session.run(command))
        return makeSession({ call, node, login: node.user, send })
      }
      return { nodes: { ...nodes, nodes: { ...nodes.nodes, sessions: { ...sessions, overTunnel } } } }
    },
  })
  await world.update('A', 'old')
  await world.update('B', 'old')
  const updates: Promise<unknown>[] = []
  onCommand = () => {
    onCommand = () => undefined
    updates.push(world.update('A', 'new'), world.update('B', 'new'))
  }
  await world.sync()
  assert.equal(updates.length, 2)
  assert.equal(world.fileText(), 'A="old"\nB="old"\n')
  await Promise.all(updates)
  await world.sync()
  assert.equal(world.fileText(), 'A="new"\nB="new"\n')
})

test('an Instance that moves between lock and snapshot is refused [ENV-039]', async () => {
  await using world = await makeWorld({
    fakes: ({ instances }) => ({
      instances: {
        ...instances,
        instances: {
          ...instances.instances,
          find: async (id) => {
            const found = await instances.instances.find(id)
            await world.store.db.updateTable('instances').set({ status: 'removing' }).execute()
            return found
          },
        },
      },
    }),
  })
  await assert.rejects(world.sync(), { code: 'env.owner_unavailable' })
  assert.deepEqual(world.pool.commands, [])
})

test('a lost lock stops the write [GW-045]', async () => {
  await using world = await makeWorld({
    behind: (store) => ({
      ...store,
      locks: { ...store.locks, acquire: async (request) => fakeLock(request, () => false) },
    }),
  })
  await assert.rejects(world.sync(), { code: 'node.lock_lost' })
  assert.deepEqual(world.entries(), [])
})

test('the stored source profile, an active Instance and an active Node are needed [ENV-016, ENV-020, INS-130]', async () => {
  await using unexamined = await makeWorld({ instance: { profile: null } })
  await assert.rejects(unexamined.sync(), { code: 'instance.source_profile_missing', status: 409 })
  await using inactive = await makeWorld({ node: { status: 'failed' } })
  await assert.rejects(inactive.sync(), { code: 'node.not_active', status: 409 })
  await using reserved = await makeWorld({ instance: { status: 'reserved' } })
  await assert.rejects(reserved.sync(), { code: 'env.owner_unavailable', status: 409 })
  for (const world of [unexamined, inactive, reserved]) assert.deepEqual(world.pool.commands, [])
})

test('values stored elsewhere beyond the size of a file are refused before the write [ENV-080]', async () => {
  await using world = await makeWorld({
    route: { domain: `${'d'.repeat(60)}.test`, healthy: true, inTransition: false },
  })
  // 19 characters as stored and 65 as written.
  const wide = '{{instance.domain}}'.repeat(3400)
  for (let i = 0; i < 5; i += 1) await world.update(`K${i}`, wide)
  await assert.rejects(world.sync(), {
    code: 'env.configuration_invalid',
    status: 422,
    details: { rule: 'file_size' },
  })
  assert.deepEqual(world.entries(), [])
})

test('the production file stands in the production home and belongs to the production user [ENV-019]', async () => {
  await using world = await makeWorld({ roles: ['app-prod'] })
  await using complete = await makeWorld({ roles: ['app-prod'] })
  await assert.rejects(world.sync(), { code: 'env.owner_unavailable' })
  await complete.store.db
    .updateTable('instances')
    .set({ production_user: complete.node.user, production_home: complete.instance.checkout_path })
    .execute()
  await complete.update('ENVIRONMENT', '{{instance.environment}}')
  await complete.sync()
  assert.equal(complete.fileText(), 'ENVIRONMENT="production"\n')
  await complete.store.db.updateTable('instances').set({ production_user: 'fleet-nobody-such' }).execute()
  await assert.rejects(complete.sync(), { code: 'node.capability_missing' })
  assert.match(complete.pool.commands.at(-1) ?? '', /^sudo -n -u fleet-nobody-such -- /)
  assert.equal((await storedValues(complete.store.db, complete.instance.id)).length, 1)
})

test('the Activity says for which readers the file was written', async () => {
  for (const [given, readers] of [
    [{ framework: 'laravel' }, 'phpdotenv'],
    [{ framework: 'laravel', php: false }, 'general'],
    [{ framework: 'symfony' }, 'general'],
  ] as const) {
    await using world = await makeWorld(given)
    await world.sync()
    assert.equal(world.calls.at(-1)?.notes.properties['readers'], readers)
  }
})
