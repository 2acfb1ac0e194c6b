import { judgeLeaf } from '@fleet/pki'
import type { PublishedLeaf } from '#/certificates/certificates.ts'
import { SAID } from '#/certificates/checks.ts'
import { leafPath } from '#/certificates/commands/leaf.ts'
import type { LeafFiles } from '#/certificates/commands/leaf-files.ts'
import { placeOf } from '#/certificates/place.ts'
import type { Finding } from '#/nodes/api.ts'

/** How the file of a leaf differs from what is published there; undefined when it does not. `folder` is the root folder of the machine. */
export function judgeLeafFile(
  files: LeafFiles,
  leaf: PublishedLeaf,
  { root, now, folder = '' }: { readonly root: string; readonly now: Date; readonly folder?: string },
): Finding | undefined {
  const { names, addresses } = leaf
  const place = placeOf(folder, leaf)
  const file = files.get(leafPath(place))
  if (!file) return { expected: SAID.good, observed: 'none' }
  if (!file.hasKey || file.owner !== `600 ${place.owner}`)
    return { expected: SAID.good, observed: 'unreadable' }
  const { verdict } = judgeLeaf(file.certificate, { root, now, names, addresses })
  return verdict === 'good' ? undefined : { expected: SAID.good, observed: SAID[verdict] }
}
