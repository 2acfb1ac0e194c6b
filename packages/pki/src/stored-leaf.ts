import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { replaceFile } from '#/atomic-file.ts'
import { judgeLeaf } from '#/judge.ts'
import { issueLeaf, type Leaf, type LeafNames, leafOf } from '#/leaf.ts'
import { privateKeyPem } from '#/pem.ts'
import type { Root } from '#/root.ts'

export interface EnsureLeafOptions extends LeafNames {
  readonly directory: string
  readonly root: Root
  readonly clock: Clock
  /** Whose certificate it is; the file is `<name>.pem`. `gateway` by default. */
  readonly name?: string
}

/**
 * The leaf stored in this directory, issued anew when it is missing, broken, due (DOC-020), not valid yet, made for other
 * names or by another root. Key and certificate are one file of mode 0600, so there is never half a pair.
 */
export async function ensureLeaf(options: EnsureLeafOptions): Promise<Leaf> {
  const { directory, root, name = 'gateway' } = options
  const path = join(directory, `${name}.pem`)
  const stored = readLeaf(path, options)
  if (stored) return stored
  const leaf = await issueLeaf(root, options)
  replaceFile(path, leaf.key.reveal() + leaf.certificate, 0o600)
  return leaf
}

/** Undefined when the file holds no leaf that is good for exactly these names: a leaf is cheap, so any flaw means a new one. */
const readLeaf = (path: string, { root, clock, names, addresses }: EnsureLeafOptions): Leaf | undefined => {
  try {
    const text = readFileSync(path, 'utf8')
    const certificate = new X509Certificate(text)
    const key = createPrivateKey(text)
    const { verdict } = judgeLeaf(text, { root: root.certificate, now: clock.now(), names, addresses })
    const isWhole = certificate.checkPrivateKey(key)
    return verdict === 'good' && isWhole ? leafOf(certificate, privateKeyPem(key)) : undefined
  } catch {
    return undefined
  }
}
