import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { TYPES_CHECKED } from '../../tools/programs.ts'

const FOLDERS = ['apps', 'bench', 'changes', 'docs', 'lab', 'packages', 'tests', 'tools']
const SETTINGS = ['.gitignore', '.oxfmtrc.json', '.oxlintrc.json', '.shellcheckrc', 'tsconfig.json']
const FILES = ['fleet', 'package.json', 'package-lock.json']

/**
 * A copy of the tree that can be changed and run. It shares the installed packages, but the links to the workspaces
 * lead into the copy: a change in it must be seen by its own code.
 */
export function copyTree(root: string, copy: string): void {
  for (const part of [...FOLDERS, ...SETTINGS, ...FILES]) {
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    })
  }
  const installed = join(root, 'node_modules')
  mkdirSync(join(copy, 'node_modules/@fleet'), { recursive: true })
  for (const name of readdirSync(installed)) {
    if (!OWN.has(name)) symlinkSync(join(installed, name), join(copy, 'node_modules', name))
  }
  for (const folder of ['packages', 'apps']) {
    for (const name of readdirSync(join(copy, folder))) {
      symlinkSync(join(copy, folder, name), join(copy, 'node_modules/@fleet', name))
      linkOwn(join(root, folder, name), join(copy, folder, name))
    }
  }
  copyTypes(root, copy)
}

const OWN = new Set(['@fleet', '.cache'])

/** The types that were checked in the tree need no second check in its copy. Installed packages keep their real paths. */
function copyTypes(root: string, copy: string): void {
  const from = join(root, TYPES_CHECKED)
  if (!existsSync(from)) return
  const to = join(realpathSync(copy), TYPES_CHECKED)
  const moved = (path: string): string => {
    const real = resolve(dirname(from), path)
    return path.startsWith('../') && relative(root, real).includes('node_modules/')
      ? relative(dirname(to), real)
      : path
  }
  const lists = ['fileNames', 'packageJsons', 'missingPackageJsons'] as const
  const kept = JSON.parse(readFileSync(from, 'utf8')) as Partial<Record<(typeof lists)[number], string[]>> // What the pinned compiler writes.
  for (const list of lists) kept[list] &&= kept[list].map(moved)
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, JSON.stringify(kept))
}

/** Packages that npm put below a workspace because another version stands at the root. */
function linkOwn(workspace: string, copied: string): void {
  if (readdirSync(workspace).includes('node_modules'))
    symlinkSync(join(workspace, 'node_modules'), join(copied, 'node_modules'))
}
