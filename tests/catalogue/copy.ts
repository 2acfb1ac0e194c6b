import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

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
    if (name !== '@fleet') symlinkSync(join(installed, name), join(copy, 'node_modules', name))
  }
  for (const folder of ['packages', 'apps']) {
    for (const name of readdirSync(join(copy, folder))) {
      symlinkSync(join(copy, folder, name), join(copy, 'node_modules/@fleet', name))
      linkOwn(join(root, folder, name), join(copy, folder, name))
    }
  }
}

/** Packages that npm put below a workspace because another version stands at the root. */
function linkOwn(workspace: string, copied: string): void {
  if (readdirSync(workspace).includes('node_modules'))
    symlinkSync(join(workspace, 'node_modules'), join(copied, 'node_modules'))
}
