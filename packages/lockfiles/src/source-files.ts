import { LIMITS } from './limits.ts'

export type JavaScriptManager = 'npm' | 'pnpm' | 'bun'

export interface SourceFile {
  readonly name: string
  readonly ecosystem: 'composer' | 'npm'
  /** Bytes that are read at the most; 0 where it only matters that the file exists. */
  readonly maxBytes: number
}

/** A file that a package manager of JavaScript leaves in a project. */
export interface ManagerFile {
  readonly name: string
  readonly family: JavaScriptManager | 'yarn'
  readonly isLock: boolean
}

const lock = (family: ManagerFile['family'], name: string): ManagerFile => ({ name, family, isLock: true })
const settings = (family: ManagerFile['family'], name: string): ManagerFile => ({
  name,
  family,
  isLock: false,
})

/** Locks before settings, and of one manager the lock first that it prefers (DEP-011). */
export const MANAGER_FILES: readonly ManagerFile[] = [
  lock('npm', 'npm-shrinkwrap.json'),
  lock('npm', 'package-lock.json'),
  lock('pnpm', 'pnpm-lock.yaml'),
  lock('bun', 'bun.lock'),
  lock('bun', 'bun.lockb'),
  lock('yarn', 'yarn.lock'),
  settings('pnpm', 'pnpm-workspace.yaml'),
  settings('pnpm', '.pnpmfile.cjs'),
  settings('pnpm', '.pnpmfile.mjs'),
  settings('pnpm', 'pnpmfile.cjs'),
  settings('bun', 'bunfig.toml'),
  settings('yarn', '.yarnrc.yml'),
  settings('yarn', '.yarnrc'),
  settings('yarn', 'yarn.config.cjs'),
]

const READ_LOCKS = ['npm-shrinkwrap.json', 'package-lock.json', 'pnpm-lock.yaml', 'bun.lock']

/** Every file that `readDependencies` asks for. Of the others only the existence matters: an empty text says it. */
export const SOURCE_FILES: readonly SourceFile[] = [
  { name: 'composer.json', ecosystem: 'composer', maxBytes: LIMITS.manifestMaxBytes },
  { name: 'composer.lock', ecosystem: 'composer', maxBytes: LIMITS.lockMaxBytes },
  { name: 'package.json', ecosystem: 'npm', maxBytes: LIMITS.manifestMaxBytes },
  ...MANAGER_FILES.map(({ name }): SourceFile => ({ name, ecosystem: 'npm', maxBytes: sizeOf(name) })),
]

function sizeOf(name: string): number {
  if (READ_LOCKS.includes(name)) return LIMITS.lockMaxBytes
  return name === 'pnpm-workspace.yaml' ? LIMITS.manifestMaxBytes : 0
}
