import type { PublishedLeaf } from '#/certificates/certificates.ts'
import type { LeafPlace } from '#/certificates/commands/leaf.ts'

export const CERTIFICATES = '/etc/fleet/certificates'
const LEAF = 'leaf.pem'

/** Where a leaf of this scope is on its Node, key and certificate in one file. */
export const leafFile = (scope: string): string => `${CERTIFICATES}/${scope}/${LEAF}`

/** The scope of the leaf of such a file. */
export const leafScopeOf = (file: string): string => file.split('/').at(-2) ?? ''

/** `root` is the root folder of the machine. */
export const placeOf = (
  root: string,
  {
    scope,
    place = { directory: `${CERTIFICATES}/${scope}`, file: LEAF },
    owner = 'root',
    reload = '',
  }: Pick<PublishedLeaf, 'scope' | 'place' | 'owner' | 'reload'>,
): LeafPlace => ({ root, ...place, owner, unit: reload })
