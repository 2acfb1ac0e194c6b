import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Manifest, readManifest } from './manifest.ts'

/** A release tree on this machine. */
export interface InstalledRelease {
  readonly folder: string
  readonly manifest: Manifest
}

/** The release whose executable runs this code. Throws ReleaseInvalid. */
export function installedRelease(executable = process.execPath): InstalledRelease {
  const folder = resolve(dirname(realpathSync(executable)), '..')
  return { folder, manifest: readManifest(folder) }
}
