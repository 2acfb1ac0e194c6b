import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { replaceFile } from '@fleet/pki'

/**
 * Writes one PEM file with the public authorities, those of this system and the fleet's own: Git takes a single file, and
 * a Node should reach public repositories as well as the fleet's.
 */
export function writeTrustBundle(path: string, fleetRootFile: string): void {
  const roots = new Set([
    ...getCACertificates('bundled'),
    ...getCACertificates('system'),
    readFileSync(fleetRootFile, 'utf8'),
  ])
  replaceFile(path, `${[...roots].map((root) => root.trim()).join('\n')}\n`, 0o644)
}
