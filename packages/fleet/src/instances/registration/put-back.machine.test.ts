import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import { fakeCall } from '@fleet/testing'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import {
  aPart,
  cloned,
  deadlyPrograms,
  elsewhere,
  receiptsIn,
  register,
  skip,
  upTo,
  walk,
} from './world.test.ts'

const instances = ({ store }: InstancesFleet) => store.db.selectFrom('instances').selectAll().execute()

/** The gateway dies when the directory has moved and nothing of that is recorded. */
async function halfRegistered(fleet: InstancesFleet, source: string): Promise<string> {
  const life = makeMortal(fleet.store, fleet.pool, { afterCommand: 2 })
  await assert.rejects(register(fleet, { source_path: source }, fleet.rebuild(life)), Died)
  return (await instances(fleet)).at(-1)?.checkout_path ?? ''
}

const lastOf = async (fleet: InstancesFleet): Promise<number> => (await instances(fleet)).at(-1)?.id ?? 0

test('a directory that moved is never deleted because something else has come to its old place, and goes back once that is away', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'), 'busy')
  writeFileSync(join(source, 'artisan'), '#!/usr/bin/env php\n')
  symlinkSync(join(source, 'empty'), join(source, 'within'))
  writeFileSync(join(source, '.env'), `PLACE=${source}\n`)
  const before = walk(source)
  const place = await halfRegistered(fleet, source)
  // A worker that still runs writes its log again.
  mkdirSync(join(source, 'storage', 'logs'), { recursive: true })
  const failing = await register(fleet, { source_path: source }).catch((error: unknown) => error)
  assert.ok(failing instanceof CodedError)
  const [row] = await instances(fleet)
  const finish = `fleet instance:destroy ${row?.id}`
  assert.deepEqual(
    [failing.code, failing.details?.['cleanup'], failing.details?.['finish']],
    ['app-dev.laravel_source_invalid', 'incomplete', finish],
  )
  assert.ok(failing.message.includes(`Move what is at ${source} away first.`), failing.message)
  assert.ok(failing.message.endsWith(`To put it back: \`${finish}\`.`), failing.message)
  assert.deepEqual([walk(place).length, walk(source).length], [before.length, 2])
  assert.equal(readlinkSync(join(place, 'within')), join(place, 'empty'))
  renameSync(source, `${source}-by-hand`)
  await assert.rejects(register(fleet, { source_path: source }), { code: 'app-dev.laravel_source_invalid' })
  assert.deepEqual([walk(source), receiptsIn(source)], [before, []])
  assert.deepEqual([await instances(fleet), fleet.residue()], [[], []])
})

test('a checkout that somebody has put at the old place of a moved one is no copy of it, and stays', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'), 'again')
  const before = walk(source)
  const place = await halfRegistered(fleet, source)
  const another = walk(cloned(fleet, join(fleet.home, 'src'), 'again'))
  const { data } = await register(fleet, { source_path: source })
  assert.deepEqual([data.app_instance.status, data.app_instance.checkout_path], ['active', place])
  assert.deepEqual([walk(place), walk(source)], [before, another])
  const rows = await fleet.store.db.selectFrom('instance_registrations').selectAll().execute()
  assert.deepEqual(
    rows.map(({ has_copy }) => has_copy),
    [0],
  )
  // Recorded by an earlier version, which took it for one.
  await fleet.store.db.updateTable('instance_registrations').set({ has_copy: 1 }).execute()
  await register(fleet, { source_path: source })
  assert.deepEqual([walk(place), walk(source)], [before, another])
})

test('a registration keeps its record while the folder that the directory moved to is out of sight', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'), 'away')
  const before = walk(source)
  await halfRegistered(fleet, source)
  for (const [code, cover] of [
    ['node.settings_root_failed', () => writeFileSync(fleet.apps, 'no folder')],
    // The folder that a disk is mounted on.
    ['instance.source_path_mismatch', () => mkdirSync(fleet.apps)],
  ] as const) {
    renameSync(fleet.apps, `${fleet.apps}-unmounted`)
    cover()
    const failing = await register(fleet, { source_path: source }).catch((error: unknown) => error)
    assert.ok(failing instanceof CodedError)
    assert.deepEqual([failing.code, failing.details?.['cleanup']], [code, 'incomplete'])
    assert.match(failing.message, /on a disk that is not mounted, mount it first/)
    assert.equal((await instances(fleet)).length, 1)
    rmSync(fleet.apps, { recursive: true })
    renameSync(`${fleet.apps}-unmounted`, fleet.apps)
  }
  const { data } = await register(fleet, { source_path: source })
  assert.deepEqual(walk(data.app_instance.checkout_path), before)
})

test(
  'a registration that fails after it copied leaves the first directory, and never deletes the copy for another one there',
  { skip },
  async () => {
    await using fleet = await startInstancesFleet()
    const folder = elsewhere()
    try {
      const source = cloned(fleet, folder, 'far')
      writeFileSync(join(source, 'artisan'), '#!/usr/bin/env php\n')
      const before = walk(source)
      const code = 'app-dev.laravel_source_invalid'
      await assert.rejects(register(fleet, { source_path: source }), { code })
      assert.deepEqual([walk(source), receiptsIn(source), fleet.residue()], [before, [], []])
      const place = await halfRegistered(fleet, source)
      renameSync(source, `${source}-by-hand`)
      const another = walk(cloned(fleet, folder, 'far'))
      await assert.rejects(register(fleet, { source_path: source }), {
        code,
        message: /something else has come to its old place/,
      })
      assert.deepEqual([walk(place), walk(source)], [before, another])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test('the removal of a registration that died anywhere gives the directory back whole, and deletes nothing', async () => {
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  const original = cloned(fleet, folder, 'original')
  const content = walk(original)
  const whole = makeMortal(fleet.store, fleet.pool)
  const counted = join(folder, 'counted')
  execFileSync('cp', ['-a', original, counted])
  await register(fleet, { source_path: counted }, fleet.rebuild(whole))
  let put = 0
  for (const [index, moment] of momentsOf(whole).entries()) {
    const source = join(folder, `c${index}`)
    execFileSync('cp', ['-a', original, source])
    const life = makeMortal(fleet.store, fleet.pool, moment)
    const when = JSON.stringify(moment)
    await assert.rejects(register(fleet, { source_path: source }, fleet.rebuild(life)), Died, when)
    const row = (await instances(fleet)).find(({ name }) => name === `c${index}`)
    if (!row || row.status === 'active') continue
    assert.equal((await fleet.destroy(row.id, index % 2 === 1)).status, 'completed', when)
    assert.deepEqual([walk(source), receiptsIn(source)], [content, []], when)
    put += 1
  }
  assert.ok(put > 4, `${put}`)
  const left = await instances(fleet)
  assert.deepEqual(new Set(left.map(({ status }) => status)), new Set(['active']))
  assert.deepEqual(readdirSync(join(fleet.apps, 'app')).toSorted(), left.map(({ name }) => name).toSorted())
})

test('the removal of an unfinished registration in its managed place leaves the directory there', async () => {
  await using fleet = await startInstancesFleet()
  const place = cloned(fleet, join(fleet.apps, 'app'), 'here')
  const before = walk(place)
  await halfRegistered(fleet, place)
  assert.equal((await fleet.destroy(await lastOf(fleet))).status, 'completed')
  assert.deepEqual([walk(place), receiptsIn(place), await instances(fleet)], [before, [], []])
})

test('the removal of an unfinished registration is refused while something else is at the old place, by force too', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'), 'mine')
  const before = walk(source)
  const place = await halfRegistered(fleet, source)
  mkdirSync(source)
  const id = await lastOf(fleet)
  for (const force of [false, true]) {
    const { code, details } = await refusalOf(fleet.destroy(id, force))
    assert.deepEqual(
      [code, details['source_path'], details['checkout_path']],
      ['instance.source_path_mismatch', source, place],
    )
    assert.deepEqual(walk(place), before)
  }
  rmSync(source, { recursive: true })
  assert.equal((await fleet.destroy(id, true)).status, 'completed')
  assert.deepEqual([walk(source), receiptsIn(source)], [before, []])
})

test('the removal of an unfinished registration whose directory is nowhere needs force', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'), 'gone')
  rmSync(await halfRegistered(fleet, source), { recursive: true })
  const id = await lastOf(fleet)
  assert.equal((await refusalOf(fleet.destroy(id))).code, 'instance.source_path_mismatch')
  assert.equal((await fleet.destroy(id, true)).status, 'completed')
  assert.deepEqual(await instances(fleet), [])
})

test('the removal of an unfinished registration of a linked worktree gives that back to its checkout', async () => {
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  const worktree = join(folder, 'beside')
  git(source, ['worktree', 'add', '-q', '-b', 'side', worktree])
  writeFileSync(join(worktree, 'mine.txt'), 'mine')
  const { data } = await register(fleet, { source_path: source })
  await halfRegistered(fleet, worktree)
  assert.equal((await fleet.destroy(await lastOf(fleet))).status, 'completed')
  assert.equal(git(worktree, ['status', '--porcelain']), '?? mine.txt')
  assert.equal((await instances(fleet)).length, 1)
  const listed = git(data.app_instance.checkout_path, ['worktree', 'list', '--porcelain'])
  assert.ok(listed.includes(`worktree ${worktree}\n`), listed)
})

test('a record that is removed because its Node does not answer leaves the directory of an unfinished registration for good', async () => {
  await using fleet = await startInstancesFleet()
  const source = cloned(fleet, join(fleet.home, 'src'), 'silent')
  const before = walk(source)
  const place = await halfRegistered(fleet, source)
  const silence = () => Promise.reject(new SshFailure('unreachable', false))
  const domain = fleet.rebuild({ ssh: { ...fleet.pool, probe: silence, run: silence } })
  const input = { instance: await lastOf(fleet), force: true, offline: true }
  await domain.handlers['instance:destroy']({ call: fakeCall(), input })
  assert.deepEqual([await instances(fleet), await fleet.domain.residue.digest(fleet.node)], [[], undefined])
  assert.deepEqual(walk(place), before)
})

for (const isFar of [false, true])
  test(
    `a removal whose script dies anywhere puts the directory back when it is repeated: ${isFar ? 'copied' : 'moved'}`,
    { skip: isFar && skip },
    async () => {
      const tools = mkdtempSync(join(tmpdir(), 'fleet-tools-'))
      const folder = isFar ? elsewhere() : mkdtempSync(join(tools, 'src-'))
      try {
        const programs = deadlyPrograms(tools)
        await using fleet = await startInstancesFleet({ env: { PATH: programs.path } })
        const putBackAt = async (name: string, number: number): Promise<number> => {
          const source = cloned(fleet, folder, name)
          const beside = join(folder, `${name}-beside`)
          git(source, ['worktree', 'add', '-q', '--detach', beside])
          const before = walk(source)
          await halfRegistered(fleet, source)
          const id = await lastOf(fleet)
          programs.dieAt(number)
          const isDone = await fleet.destroy(id).then(
            () => true,
            () => false,
          )
          const count = programs.count()
          programs.dieAt(0)
          if (!isDone) assert.equal((await fleet.destroy(id)).status, 'completed', name)
          assert.deepEqual([walk(source), receiptsIn(source)], [before, []], name)
          assert.equal(git(beside, ['status', '--porcelain']), '', name)
          assert.deepEqual([await instances(fleet), fleet.residue()], [[], []], name)
          return count
        }
        const counted = await putBackAt('counted', 0)
        assert.ok(counted > 6, `${counted}`)
        for (const number of aPart(upTo(counted), 7)) await putBackAt(`n${number}`, number)
      } finally {
        rmSync(tools, { recursive: true, force: true })
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
