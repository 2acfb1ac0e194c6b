import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { replaceFile } from '#/atomic-file.ts'
import { covers } from '#/judge.ts'
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
 * The leaf stored in this directory, issued anew when it is missing, broken, due (DOC-020), made for other names or by
 * another root. Key and certificate are one file of mode 0600, so there is never half a pair.
 */
export async function ensureLeaf(options: EnsureLeafOptions): Promise<Leaf> {
  const { directory, root, clock, name = 'gateway' } = options
  const path = join(directory, `${name}.pem`)
  const stored = readLeaf(path, root, options)
  if (stored && clock.now() < stored.renewAt) return stored
  const leaf = await issueLeaf(root, options)
  replaceFile(path, leaf.key.reveal() + leaf.certificate, 0o600)
  return leaf
}

/** Undefined when the file holds no leaf of this root for exactly these names: a leaf is cheap, so any flaw means a new one. */
const readLeaf = (path: string, root: Root, names: LeafNames): Leaf | undefined => {
  try {
    const text = readFileSync(path, 'utf8')
    const certificate = new X509Certificate(text)
    const key = createPrivateKey(text)
    const isOurs = certificate.verify(new X509Certificate(root.certificate).publicKey)
    const isWhole = certificate.checkPrivateKey(key) && covers(certificate, names)
    return isOurs && isWhole ? leafOf(certificate, privateKeyPem(key)) : undefined
  } catch {
    return undefined
  }
}
