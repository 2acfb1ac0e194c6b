import type { AdoptionBlock } from '@fleet/contract'

/** Why Fleet does not install a package that its manager offers. */
export type Refused = Exclude<AdoptionBlock, 'dependency' | 'protected'>

/** A sentence for each, as the answer to an installation or update. */
export const REFUSED: Readonly<Record<Refused, string>> = {
  authorization_required:
    'This package needs an administrator, as everything in `/Applications` does, so Fleet does not install it.',
  unsupported_artifact:
    'Homebrew has disabled this package, or it runs scripts of its own, so Fleet does not install it.',
  unsupported_source:
    "This package is not one of Homebrew's own, or has no checksum, so Fleet does not install it.",
  bottle_unavailable:
    'Homebrew has this package only as source for this machine, not as a bottle, so Fleet does not install it.',
  version_unreadable: 'This package has no fixed version, so Fleet does not install it.',
}
