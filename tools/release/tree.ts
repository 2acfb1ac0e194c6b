import {
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { machine } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Manifest, MANIFEST, sha256Of } from '@fleet/gateway/release'
import { bundleExecutable, bundleGateway } from './bundle.ts'
import { makeExecutable } from './executable.ts'

export interface ReleaseDeps {
  /** The checkout. */
  readonly root: string
  readonly version: string
  readonly commit: string | undefined
  /** An empty folder that becomes the release tree. */
  readonly folder: string
  /** An empty folder for what is needed in between. */
  readonly scratch: string
}

/** Builds a release tree for this machine's architecture from what `npm ci` has put here; nothing is fetched. */
export async function buildRelease(deps: ReleaseDeps): Promise<Manifest> {
  const { root, folder, scratch, version, commit } = deps
  for (const name of ['bin', 'lib']) mkdirSync(join(folder, name))
  const executable = join(folder, 'bin/fleet')
  await makeExecutable(await bundleExecutable(root), executable, scratch)
  // Nodes get it in this form, and so does the archive.
  writeFileSync(`${executable}.gz`, await promisify(gzip)(readFileSync(executable), { level: 6 }))
  symlinkSync('fleet', join(folder, 'bin/fleet-gateway'))
  await bundleGateway(root, join(folder, 'lib'))
  copyFileSync(join(root, 'tools/release/install.sh'), join(folder, 'install'))
  const files = await listed(folder)
  const manifest: Manifest = {
    product: 'fleet',
    format: 1,
    version,
    commit: commit ?? null,
    architecture: machine(),
    files,
  }
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 1)}\n`)
  return manifest
}

async function listed(folder: string): Promise<Manifest['files']> {
  const paths = ['install', ...globSync('{bin,lib}/*', { cwd: folder })].filter(
    (path) => path !== 'bin/fleet-gateway',
  )
  return Promise.all(
    paths.toSorted().map(async (path) => ({
      path,
      sha256: await sha256Of(join(folder, path)),
      executable: (statSync(join(folder, path)).mode & 0o111) !== 0,
    })),
  )
}
