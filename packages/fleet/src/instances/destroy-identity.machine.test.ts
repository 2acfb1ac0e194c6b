import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { git } from '@fleet/testing/git-server'
import { refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

/** Each changes the source so that it is not the recorded one any more. */
const changes: readonly (readonly [string, string, (checkout: string) => void])[] = [
  [
    'another directory',
    'instance.source_path_mismatch',
    (path) => (rmSync(path, { recursive: true }), mkdirSync(path)),
  ],
  [
    'a file',
    'instance.source_path_mismatch',
    (path) => (rmSync(path, { recursive: true }), writeFileSync(path, '')),
  ],
  [
    'a copy of itself',
    'instance.source_ownership_mismatch',
    (path) => {
      cpSync(path, `${path}-copy`, { recursive: true })
      rmSync(path, { recursive: true })
      renameSync(`${path}-copy`, path)
    },
  ],
  [
    'a link to itself',
    'instance.checkout_path_unsafe',
    (path) => (renameSync(path, `${path}-moved`), symlinkSync(`${path}-moved`, path)),
  ],
  [
    'a worktree layout',
    'instance.source_layout_mismatch',
    (path) => (
      rmSync(join(path, '.git'), { recursive: true }),
      writeFileSync(join(path, '.git'), 'gitdir: /x')
    ),
  ],
  [
    'no receipt',
    'instance.source_ownership_mismatch',
    (path) => rmSync(join(path, '.git/orbit/preparation')),
  ],
  [
    'another origin',
    'instance.source_origin_mismatch',
    (path) => git(path, ['remote', 'set-url', 'origin', 'https://example.com/other.git']),
  ],
  [
    'another branch',
    'instance.source_branch_mismatch',
    (path) => git(path, ['checkout', '-q', '-b', 'side']),
  ],
  ['a detached HEAD', 'instance.source_branch_mismatch', (path) => git(path, ['checkout', '-q', '--detach'])],
]

for (const [what, code, change] of changes) {
  test(`${what} in place of the source refuses with its own code, force or not, and stays [INS-111, INS-122]`, async () => {
    await using fleet = await startInstancesFleet()
    const { data } = await fleet.create()
    change(data.checkout_path)
    const before = fleet.residue().length
    for (const force of [false, true])
      assert.equal((await refusalOf(fleet.destroy(data.id, force))).code, code)
    assert.ok(fleet.residue().length >= before)
    const row = await fleet.store.db.selectFrom('instances').selectAll().executeTakeFirstOrThrow()
    assert.equal(row.status, 'active')
  })
}

const RECEIPT = '.git/orbit/preparation'
/** The same receipt from before a restart, which gave the disk another number. */
const onDevice = (path: string, storage?: string): void => {
  const [proof = '', own = ''] = readFileSync(join(path, RECEIPT), 'utf8').split('\n')
  const earlier = proof.replace(/ \d+ /, ' 99999 ')
  assert.notEqual(earlier, proof)
  writeFileSync(join(path, RECEIPT), `${earlier}\n${storage ?? own}\n`)
}

test('a disk that has another device number since a restart still proves the source [INS-053]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  onDevice(data.checkout_path)
  assert.equal((await fleet.destroy(data.id)).status, 'completed')
  assert.deepEqual(fleet.residue(), [])
})

test('another device proves nothing where it is another file system, or nobody noted which [INS-053]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  for (const storage of ['0123456789abcdef', '']) {
    onDevice(data.checkout_path, storage)
    assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'instance.source_ownership_mismatch')
    writeFileSync(
      join(data.checkout_path, RECEIPT),
      readFileSync(join(data.checkout_path, RECEIPT), 'utf8').replace(' 99999 ', ' 1 '),
    )
  }
})

test('a source that was deleted by hand is refused, and forgotten by force [INS-122]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  rmSync(data.checkout_path, { recursive: true })
  assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'instance.source_path_mismatch')
  assert.equal((await fleet.destroy(data.id, true)).status, 'completed')
})

test('a missing apps root may be a disk that is not mounted, so even force refuses [INS-122]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  renameSync(fleet.apps, `${fleet.apps}-away`)
  for (const force of [false, true]) {
    assert.equal((await refusalOf(fleet.destroy(data.id, force))).code, 'instance.source_path_mismatch')
  }
  renameSync(`${fleet.apps}-away`, fleet.apps)
  await fleet.destroy(data.id)
  assert.equal(existsSync(data.checkout_path), false)
})

test('the origin in another form of its URL is the same repository [INS-122, PRJ-035]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  git(data.checkout_path, ['remote', 'set-url', 'origin', 'ssh://git@127.0.0.1:22/app'])
  const { code, details } = await refusalOf(fleet.destroy(data.id))
  assert.deepEqual([code, details['reasons']], ['instance.remove_refused', ['origin_unreachable']])
})

test('an origin that cannot be read is told from work that would be lost', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  fleet.git.down = true
  await assert.rejects(fleet.destroy(data.id), {
    code: 'instance.remove_refused',
    message: /^The origin of the checkout cannot be read from the Node, so nobody can say/,
    details: {
      node: { id: fleet.node.id, name: fleet.node.name },
      reasons: ['origin_unreachable'],
      reason: 'origin_unreachable',
    },
  })
  writeFileSync(join(data.checkout_path, 'work.txt'), 'mine')
  await assert.rejects(fleet.destroy(data.id), {
    message: /^The checkout contains work that exists nowhere else\./,
    details: {
      node: { id: fleet.node.id, name: fleet.node.name },
      path: data.checkout_path,
      reasons: ['uncommitted_work', 'origin_unreachable'],
    },
  })
})
