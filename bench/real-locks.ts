import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './ssh-server.ts'

/** A published package that brings about 1,300 others. */
const LARGE = ['react-scripts', '5.0.1'] as const

const ROOT = new URL('..', import.meta.url).pathname

/** Words of each manager that write its lock and install nothing. */
const MANAGERS = {
  npm: {
    lock: 'package-lock.json',
    words: ['npm', 'install', '--package-lock-only', '--no-audit', '--no-fund'],
  },
  pnpm: {
    lock: 'pnpm-lock.yaml',
    words: [join(ROOT, 'node_modules/pnpm/bin/pnpm.cjs'), 'install', '--lockfile-only'],
  },
  bun: {
    lock: 'bun.lock',
    words: [join(ROOT, 'node_modules/@oven/bun-linux-x64/bin/bun'), 'install', '--lockfile-only'],
  },
} as const
export type RealManager = keyof typeof MANAGERS
export const realManagers = ['npm', 'pnpm', 'bun'] as const satisfies readonly RealManager[]

/** A project in a new folder whose lock its manager made from the public registry. Throws where that cannot be reached. */
export async function realProject(home: string, manager: RealManager): Promise<string> {
  const folder = join(home, manager)
  mkdirSync(folder)
  const [name, version] = LARGE
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'real', version: '1.0.0', dependencies: { [name]: version } }),
  )
  const [program, ...words] = MANAGERS[manager].words
  await execute(program, words, { cwd: folder })
  return folder
}

/** Manifest and lock of a project, as the readers take them. */
export const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => /^(?:package\.json|package-lock\.json|pnpm-lock\.yaml|bun\.lock)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

export const lockOf = (manager: RealManager): string => MANAGERS[manager].lock
