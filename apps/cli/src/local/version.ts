import { readFile } from 'node:fs/promises'

/** `fleet 0.1.0 (node 26.10.0)`. */
export async function versionText(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : 'unknown'
  return `fleet ${version} (node ${process.versions.node})`
}
