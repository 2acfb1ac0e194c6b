import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { buildRelease } from './tree.ts'

/** What decides the bytes of a release besides its version. */
const INPUTS = [
  '{apps,packages}/*/src/**/*.{ts,json,sh}',
  '{apps,packages}/*/package.json',
  'tools/release/*',
  'package-lock.json',
]

/** Digest of everything that goes into a release of this checkout. */
export function releaseDigest(root: string): string {
  const hash = createHash('sha256').update(process.version)
  const paths = globSync(INPUTS, { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted()
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 16)
}

/**
 * A release tree of this checkout as it stands, built when none of its content is kept yet. Its version is `test-` and the
 * digest, or the one given.
 */
export async function ensureRelease(root: string, version?: string): Promise<string> {
  const digest = releaseDigest(root)
  const name = version === undefined ? `test-${digest}` : `${version}-${digest}`
  const kept = join(root, 'node_modules/.cache/fleet-release')
  const folder = join(kept, name)
  if (existsSync(folder)) return folder
  mkdirSync(kept, { recursive: true })
  const building = mkdtempSync(join(kept, '.building-'))
  try {
    const tree = join(building, 'tree')
    const scratch = join(building, 'scratch')
    mkdirSync(tree)
    mkdirSync(scratch)
    await buildRelease({ root, version: version ?? name, commit: undefined, folder: tree, scratch })
    // Of two that build the same at once the first stays.
    if (!existsSync(folder)) renameSync(tree, folder)
    dropOldest(kept)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  return folder
}

/** So many that nobody still reads the one that goes: each is 160 MB. */
const KEPT = 6

function dropOldest(kept: string): void {
  const finished = readdirSync(kept)
    .filter((name) => !name.startsWith('.'))
    .map((name) => ({ path: join(kept, name), made: statSync(join(kept, name)).mtimeMs }))
    .toSorted((a, b) => b.made - a.made)
  for (const { path } of finished.slice(KEPT)) rmSync(path, { recursive: true, force: true })
}
