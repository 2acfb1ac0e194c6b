import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { run } from '@fleet/shell'
import { must } from '#/console/programs.ts'
import { releaseFolder, releaseVersion } from './unpack.ts'

/** A folder with the archive of a release in it, as `npm run release` makes one. */
async function place(context: TestContext) {
  const from = mkdtempSync(join(tmpdir(), 'fleet-unpack-'))
  context.after(() => rmSync(from, { recursive: true }))
  const tree = join(from, 'built/fleet-2')
  mkdirSync(join(tree, 'bin'), { recursive: true })
  const manifest = { product: 'fleet', format: 1, version: 'v2', commit: null, architecture: 'x', files: [] }
  writeFileSync(join(tree, 'manifest.json'), JSON.stringify(manifest))
  writeFileSync(join(tree, 'bin/fleet.gz'), gzipSync('the executable'))
  await must(run('tar', '-czf', join(from, 'fleet-2.tar.gz'), '-C', join(from, 'built'), 'fleet-2'))
  return { from, unpacking: join(from, 'releases/.unpacking'), gateway: 'gateway.corp' }
}

test('an archive is found where the command was typed, and its executable is ready to run', async (context) => {
  const places = await place(context)
  for (const given of ['fleet-2.tar.gz', './fleet-2.tar.gz', join(places.from, 'fleet-2.tar.gz')]) {
    const folder = await releaseFolder(given, places)
    assert.equal(folder, join(places.unpacking, 'fleet-2'))
    assert.equal(readFileSync(join(folder, 'bin/fleet'), 'utf8'), 'the executable')
    assert.equal(statSync(join(folder, 'bin/fleet')).mode & 0o777, 0o755)
  }
})

test('the version of a release is read from its folder and from its archive, and nothing is unpacked for it', async (context) => {
  const { from, unpacking } = await place(context)
  for (const given of ['fleet-2.tar.gz', 'built/fleet-2'])
    assert.equal(await releaseVersion(given, from), 'v2')
  await assert.rejects(releaseVersion('fleet-3.tar.gz', from), {
    name: 'Refusal',
    message: / does not exist\.$/,
  })
  assert.equal(statSync(unpacking, { throwIfNoEntry: false }), undefined)
})

test('a folder is taken where it is', async (context) => {
  const places = await place(context)
  assert.equal(await releaseFolder('built/fleet-2', places), join(places.from, 'built/fleet-2'))
})

test('a file that is not there, that was cut off on its way, or is something else is refused in one sentence', async (context) => {
  const places = await place(context)
  const refused = async (name: string, message: RegExp, next?: RegExp) =>
    assert.rejects(releaseFolder(name, places), (error: Error & { readonly next?: string }) => {
      assert.equal(error.name, 'Refusal')
      assert.match(error.message, message)
      if (next) assert.match(error.next ?? '', next)
      return true
    })
  await refused('fleet-3.tar.gz', /fleet-3\.tar\.gz does not exist\.$/)
  const again = /scp fleet-\*\.tar\.gz root@gateway\.corp:$/
  const archive = join(places.from, 'fleet-2.tar.gz')
  truncateSync(archive, statSync(archive).size - 40)
  await refused('fleet-2.tar.gz', /fleet-2\.tar\.gz is not the whole archive of a release\.$/, again)
  writeFileSync(archive, 'no archive')
  await refused('fleet-2.tar.gz', /fleet-2\.tar\.gz is not the whole archive of a release\.$/, again)
  await must(run('tar', '-czf', archive, '-C', join(places.from, 'built/fleet-2'), 'bin', 'manifest.json'))
  await refused('fleet-2.tar.gz', /fleet-2\.tar\.gz is not the whole archive of a release\.$/, again)
})
