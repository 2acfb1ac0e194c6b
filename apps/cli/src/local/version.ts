import { readFile } from 'node:fs/promises'
import type { Context } from '#/context.ts'
import { EXIT, type ExitCode } from '#/exit.ts'

/** Prints `fleet 0.1.0 (node 26.10.0)`. */
export async function printVersion({ terminal }: Context): Promise<ExitCode> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? String(manifest.version)
      : 'unknown'
  terminal.out(`fleet ${version} (node ${process.versions.node})\n`)
  return EXIT.ok
}
