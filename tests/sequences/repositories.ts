import { cpSync } from 'node:fs'
import type { World } from './world.ts'

/** Every repository has what the Projects name; the fork has the same history. */
export function prepare({ git }: Pick<World, 'git'>): void {
  for (const name of ['shop', 'blog'])
    for (const branch of ['main', 'trunk', 'one', 'two'])
      git.commit(name, branch, { 'public/index.html': `${name}\n`, 'web/index.html': `${name}\n` })
  cpSync(git.pathOf('shop'), git.pathOf('shop-fork'), { recursive: true })
}

export const firstProject = ({ git }: Pick<World, 'git'>) =>
  ({ slug: 'shop', type: 'node-package', root: 'public', repository_url: git.urlOf('shop') }) as const
