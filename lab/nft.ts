import { join } from 'node:path'
import { cachedTrees } from './cache.ts'
import { CACHE_FOLDER } from './place.ts'
import { program } from './program.ts'

/**
 * Hands rules to the kernel of this machine. The program is the one of a cached tree, so the machine needs none of
 * its own; without a tree no rule has been made.
 */
export async function nft(rules: string): Promise<void> {
  const tree = cachedTrees().find((name) => name.startsWith('base-'))
  if (tree !== undefined)
    await program(['chroot', join(CACHE_FOLDER, tree), 'nft', '-f', '-'], { input: rules })
}
