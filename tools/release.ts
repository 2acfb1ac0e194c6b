// `npm run release` builds a release of this checkout for this machine's architecture into dist/.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { machine } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { archiveRelease } from './release/archive.ts'
import { buildRelease } from './release/tree.ts'

const ROOT = resolve(import.meta.dirname, '..')
const program = promisify(execFile)

async function main(): Promise<void> {
  const { version, commit } = await versionOf()
  const name = `fleet-${version}-linux-${machine()}`
  const dist = join(ROOT, 'dist')
  const folder = join(dist, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const scratch = mkdtempSync(join(dist, '.scratch-'))
  try {
    await buildRelease({ root: ROOT, version, commit, folder, scratch })
    await archiveRelease(dist, name)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  console.log(`dist/${name}.tar.gz`)
}

/** `APP_VERSION`, else the commit; a tree with changes says so. */
async function versionOf(): Promise<{ readonly version: string; readonly commit: string | undefined }> {
  const git = async (...words: readonly string[]): Promise<string | undefined> =>
    program('git', words, { cwd: ROOT }).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    )
  const commit = await git('rev-parse', 'HEAD')
  const isChanged = (await git('status', '--porcelain', '--untracked-files=no')) !== ''
  const described = commit === undefined ? 'dev' : `${commit.slice(0, 12)}${isChanged ? '-changed' : ''}`
  return { version: process.env['APP_VERSION'] ?? described, commit: isChanged ? undefined : commit }
}

await main()
