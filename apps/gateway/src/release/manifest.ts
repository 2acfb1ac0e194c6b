import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'

export const MANIFEST = 'manifest.json'

/** A version names a folder. */
export const versionText = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'must be a plain name')

const manifest = z.strictObject({
  product: z.literal('fleet'),
  format: z.literal(1),
  version: versionText,
  commit: z.string().nullable(),
  /** The machine's own word, such as `x86_64`. */
  architecture: z.string(),
  files: z.array(
    z.strictObject({
      path: z.string().regex(/^(?!\/)(?!.*\.\.)[A-Za-z0-9._/-]+$/, 'must be inside the release'),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      executable: z.boolean(),
    }),
  ),
})

/** What a release consists of. Every file of it is listed but the manifest itself. */
export type Manifest = z.output<typeof manifest>

/** The release is not what its maker made; nothing of it may run. */
export class ReleaseInvalid extends Error {
  override readonly name = 'ReleaseInvalid'
}

/** Reads the manifest of a release tree. Throws ReleaseInvalid. */
export function readManifest(folder: string): Manifest {
  try {
    return manifest.parse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')))
  } catch (cause) {
    throw new ReleaseInvalid(`${folder} is not a release: its ${MANIFEST} cannot be read`, { cause })
  }
}

/** Compares every listed file with its digest. Throws ReleaseInvalid with the first that is missing or differs. */
export async function verifyRelease(folder: string): Promise<Manifest> {
  const found = readManifest(folder)
  for (const file of found.files) {
    const path = join(folder, file.path)
    const entry = await lstat(path).catch(() => undefined)
    if (!entry?.isFile()) throw new ReleaseInvalid(`the release lacks ${file.path}`)
    if (file.executable !== ((entry.mode & 0o111) !== 0))
      throw new ReleaseInvalid(`the release has the wrong mode on ${file.path}`)
    if ((await sha256Of(path)) !== file.sha256)
      throw new ReleaseInvalid(`the release is damaged: the digest of ${file.path} does not match`)
  }
  return found
}

/** Hex SHA-256 of a file, read in pieces. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
