import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { git } from '@fleet/testing/git-server'
import { startWorld, type World } from '#/deployments/world.test.ts'

const LARGE = randomBytes(300_000).toString('base64')

/** The packs of a release by inode, with their bytes. */
function packsOf(world: World, release: string): ReadonlyMap<number, number> {
  const folder = join(world.home, 'releases', release, '.git/objects/pack')
  return new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.pack'))
      .map((name) => {
        const { ino, size } = statSync(join(folder, name))
        return [ino, size]
      }),
  )
}

async function deployed(world: World, files: Readonly<Record<string, string | null>>): Promise<string> {
  const commit = world.fleet.git.commit('app', 'main', files)
  const ran = await world.deploy()
  assert.equal(ran.failure, undefined, JSON.stringify(ran.result))
  const release = ran.result.selected_release ?? ''
  const path = join(world.home, 'releases', release)
  assert.equal(git(path, ['rev-parse', 'HEAD']), commit)
  assert.equal(git(path, ['status', '--porcelain']), '')
  git(path, ['fsck', '--strict', '--no-dangling'])
  return release
}

test('a release takes what it can of the repository from the selected one, and only the rest is fetched', async () => {
  await using world = await startWorld()
  const first = await deployed(world, { large: LARGE })
  world.fleet.git.commit('app', 'gone', { a: 'branch' })
  const second = await deployed(world, { small: 'two' })
  const [before, after] = [packsOf(world, first), packsOf(world, second)]
  const own = [...after].filter(([inode]) => !before.has(inode))
  assert.deepEqual(
    [...before.keys()].filter((inode) => !after.has(inode)),
    [],
    'its packs are those of the first',
  )
  assert.ok(own.length > 0 && own.every(([, size]) => size < 10_000), JSON.stringify(own))
  assert.equal(readFileSync(join(world.home, 'current/large'), 'utf8'), LARGE)
  git(world.fleet.git.pathOf('app'), ['branch', '-D', 'gone'])
  const third = join(world.home, 'releases', await deployed(world, { large: null }))
  assert.equal(
    git(third, ['for-each-ref', '--format=%(refname)', 'refs/remotes']),
    'refs/remotes/origin/main',
  )
})

test('what an earlier release has of the repository and is broken is fetched again', async () => {
  await using world = await startWorld()
  const breaks: readonly ((pack: string) => void)[] = [
    (pack) => {
      // Only its middle, which no reading of names looks at.
      const content = readFileSync(pack)
      content.fill(0, 100_000, 101_000)
      writeFileSync(pack, content)
    },
    (pack) => truncateSync(pack, 100),
  ]
  for (const [at, spoil] of breaks.entries()) {
    const release = await deployed(world, { large: `${at}${LARGE}`, [`new-${at}`]: 'x' })
    const folder = join(world.home, 'releases', release, '.git/objects/pack')
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.pack'))) {
      // A file of its own: those that are shared stay whole.
      const pack = join(folder, name)
      copyFileSync(pack, `${pack}.own`)
      chmodSync(`${pack}.own`, 0o644)
      spoil(`${pack}.own`)
      renameSync(`${pack}.own`, pack)
    }
    await deployed(world, { [`later-${at}`]: 'y' })
    assert.equal(readFileSync(join(world.home, 'current/large'), 'utf8'), `${at}${LARGE}`)
  }
})

test('a release that borrows, is shallow or has many files is no source, and nothing in it changes', async () => {
  await using world = await startWorld()
  const spoils: Readonly<Record<string, (release: string) => void>> = {
    borrows: (release) => writeFileSync(join(release, '.git/objects/info/alternates'), '/nowhere\n'),
    shallow: (release) =>
      writeFileSync(join(release, '.git/shallow'), `${git(release, ['rev-parse', 'HEAD'])}\n`),
    many: (release) => {
      mkdirSync(join(release, '.git/objects/many'))
      for (let at = 0; at < 150; at += 1) writeFileSync(join(release, '.git/objects/many', String(at)), '')
    },
  }
  for (const [name, spoil] of Object.entries(spoils)) {
    const release = await deployed(world, { [name]: LARGE })
    spoil(join(world.home, 'releases', release))
    const before = packsOf(world, release)
    const next = packsOf(world, await deployed(world, { [name]: 'less' }))
    assert.deepEqual(
      [...next.keys()].filter((inode) => before.has(inode)),
      [],
      name,
    )
    assert.deepEqual(packsOf(world, release), before, name)
  }
})
