import { judgeLeaf } from '@fleet/pki'
import type { PublishedLeaf } from '#/certificates/certificates.ts'
import { SAID } from '#/certificates/checks.ts'
import type { LeafFiles } from '#/certificates/commands/leaf-files.ts'
import { leafFile } from '#/certificates/leaf.ts'
import type { Finding } from '#/nodes/api.ts'

/** What Doctor reports of the file of a leaf; undefined when it is as it was published. */
export function judgeLeafFile(
  files: LeafFiles,
  { scope, names, addresses, owner = 'root' }: PublishedLeaf,
  { root, now, folder = '' }: { readonly root: string; readonly now: Date; readonly folder?: string },
): Finding | undefined {
  const file = files.get(`${folder}${leafFile(scope)}`)
  if (!file) return { expected: SAID.good, observed: 'none' }
  if (!file.hasKey || file.owner !== `600 ${owner}`) return { expected: SAID.good, observed: 'unreadable' }
  const { verdict } = judgeLeaf(file.certificate, { root, now, names, addresses })
  return verdict === 'good' ? undefined : { expected: SAID.good, observed: SAID[verdict] }
}
