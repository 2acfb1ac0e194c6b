import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NodeExecutables } from '@fleet/fleet'
import type { InstalledRelease } from './installed-release.ts'

const EXECUTABLE = 'bin/fleet'

/** What Nodes of the release's own architecture get; the version is the digest, so that only a changed one travels. */
export function releaseExecutables({ folder, manifest }: InstalledRelease): NodeExecutables {
  const sha256 = manifest.files.find(({ path }) => path === EXECUTABLE)?.sha256
  return {
    find: (architecture) =>
      Promise.resolve(
        sha256 === undefined || architecture !== manifest.architecture
          ? undefined
          : { version: manifest.version, sha256, read: () => readFile(join(folder, `${EXECUTABLE}.gz`)) },
      ),
  }
}

/** Of a gateway that runs from a checkout: there is nothing to give to Nodes. */
export const noExecutables: NodeExecutables = { find: () => Promise.resolve(undefined) }
