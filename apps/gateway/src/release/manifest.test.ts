import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { releaseExecutables } from './executables.ts'
import { installedRelease } from './installed-release.ts'
import { type Manifest, readManifest, ReleaseInvalid, sha256Of, verifyRelease } from './manifest.ts'

async function release(context: TestContext, change: Partial<Manifest> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-release-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/fleet'), 'program', { mode: 0o755 })
  writeFileSync(join(folder, 'bin/fleet.gz'), gzipSync('program'))
  const sha256 = await sha256Of(join(folder, 'bin/fleet'))
  const manifest: Manifest = {
    product: 'fleet',
    format: 1,
    version: 'v1',
    commit: null,
    architecture: 'x86_64',
    files: [{ path: 'bin/fleet', sha256, executable: true }],
    ...change,
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  return folder
}

const refused = (folder: string, message: RegExp): Promise<void> =>
  assert.rejects(verifyRelease(folder), (error: unknown) => {
    assert.ok(error instanceof ReleaseInvalid)
    assert.match(error.message, message)
    return true
  })

test('a release is what its manifest says, file by file', async (context) => {
  const folder = await release(context)
  assert.equal((await verifyRelease(folder)).version, 'v1')
  writeFileSync(join(folder, 'bin/fleet'), 'Program')
  await refused(folder, /is damaged: the digest of bin\/fleet/)
  writeFileSync(join(folder, 'bin/fleet'), 'program')
  chmodSync(join(folder, 'bin/fleet'), 0o644)
  await refused(folder, /wrong mode on bin\/fleet/)
  rmSync(join(folder, 'bin/fleet'))
  await refused(folder, /lacks bin\/fleet/)
  symlinkSync('fleet.gz', join(folder, 'bin/fleet'))
  await refused(folder, /lacks bin\/fleet/)
})

test('a manifest that leads out of its folder, or is none, is refused', async (context) => {
  for (const path of ['../fleet', '/etc/passwd', 'bin/../../x']) {
    const sha256 = '0'.repeat(64)
    await refused(
      await release(context, { files: [{ path, sha256, executable: false }] }),
      /is not a release/,
    )
  }
  await refused(await release(context, { version: '../v1' }), /is not a release/)
  const folder = await release(context)
  writeFileSync(join(folder, 'manifest.json'), '{')
  await refused(folder, /is not a release/)
})

test('the release of an executable is the folder above it, also behind a link', async (context) => {
  const folder = await release(context)
  symlinkSync(folder, `${folder}-current`)
  context.after(() => rmSync(`${folder}-current`))
  const found = installedRelease(join(`${folder}-current`, 'bin/fleet'))
  assert.deepEqual(found, { folder, manifest: readManifest(folder) })
})

test('Nodes of the own architecture get the executable with its digest, others get none', async (context) => {
  const folder = await release(context)
  const executables = releaseExecutables({ folder, manifest: readManifest(folder) })
  assert.equal(await executables.find('aarch64'), undefined)
  const found = (await executables.find('x86_64')) ?? assert.fail()
  assert.equal(found.sha256, await sha256Of(join(folder, 'bin/fleet')))
  assert.deepEqual(gunzipSync(await found.read()), readFileSync(join(folder, 'bin/fleet')))
})
