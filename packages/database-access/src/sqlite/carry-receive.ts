import { createHash } from 'node:crypto'
import { chmod, link, lstat, mkdir, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileRefused } from './file-problem.ts'
import { type CarryHeader, reading, requireSound } from './carry-send.ts'
import { discard, discardFresh, requireInside, settle, writeFresh } from './files.ts'

/** Where a database arrives. */
export interface ReceiveRequest {
  readonly to: string
  /** Folder that the file has to be in, whatever links say. */
  readonly toRoot: string
  /**
   * For a place that may belong to somebody else: what has the name and is not of this claim stays. The claim is a second name of
   * the file until it is released, and proves whose it is.
   */
  readonly claim?: string | undefined
}

/**
 * Writes what arrives beside its place, compares it with the header, checks it, and gives it its name last: there is a complete
 * file of that name, or what was there before. May be repeated. Throws FileRefused.
 */
export function receiveDatabase(
  request: ReceiveRequest,
  header: CarryHeader,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  return reading(async () => {
    await mkdir(dirname(request.to), { recursive: true })
    const to = await placeOf(request)
    const write = async (fresh: string): Promise<void> => {
      await written(fresh, header, content)
      requireSound(fresh)
      await chmod(fresh, header.mode & 0o777)
      if (request.claim === undefined) await settle(fresh, to)
      else await claimed(fresh, to)
    }
    if (request.claim === undefined) return writeFresh(to, write)
    await dropClaimed(to, request.claim)
    const fresh = claimOf(to, request.claim)
    await discard(fresh)
    try {
      await write(fresh)
    } catch (error) {
      await discard(fresh)
      throw error
    }
  })
}

/** Removes what has arrived, as far as it came; with a claim only what is of it. Throws FileRefused. */
export function dropReceived(request: ReceiveRequest): Promise<void> {
  return reading(async () => {
    const to = await placeOf(request).catch((error: unknown) => {
      if (error instanceof FileRefused) return undefined
      throw error
    })
    if (to === undefined) return
    const { claim } = request
    if (claim === undefined || (await isClaimed(to, claim))) await discard(to)
    if (claim === undefined) await discardFresh(to)
    else await discard(claimOf(to, claim))
  })
}

/** The file is its owner's from now on: nothing says any more how it came. Throws FileRefused. */
export function releaseClaim(request: ReceiveRequest): Promise<void> {
  return reading(async () => {
    const to = await placeOf(request)
    if (request.claim !== undefined) await rm(claimOf(to, request.claim), { force: true })
    await flush(dirname(to))
  })
}

const claimOf = (to: string, claim: string): string => `${to}.fleet-${claim}`

async function placeOf({ to, toRoot }: ReceiveRequest): Promise<string> {
  const folder = await requireInside(dirname(to), toRoot)
  return join(folder, basename(to))
}

async function written(
  fresh: string,
  { bytes, digest }: CarryHeader,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const hash = createHash('sha256')
  let arrived = 0
  await using file = await open(fresh, 'wx', 0o600)
  for await (const chunk of content) {
    hash.update(chunk)
    arrived += chunk.length
    // A short write, as on a full disk, is an error of the next one.
    await file.writeFile(chunk)
  }
  if (arrived !== bytes || hash.digest('hex') !== digest) throw new FileRefused('torn')
  await file.sync()
}

/** An earlier attempt of this claim goes; anything else that has the name stays. */
async function dropClaimed(to: string, claim: string): Promise<void> {
  if (await isClaimed(to, claim)) await discard(to)
  for (const end of ['', '-wal', '-journal'])
    if (await lstat(`${to}${end}`).catch(() => undefined)) throw new FileRefused('occupied')
}

async function isClaimed(to: string, claim: string): Promise<boolean> {
  const [file, other] = await Promise.all(
    [to, claimOf(to, claim)].map((path) => lstat(path).catch(() => undefined)),
  )
  return file !== undefined && other !== undefined && file.ino === other.ino && file.dev === other.dev
}

async function claimed(fresh: string, to: string): Promise<void> {
  const file = await open(fresh, 'r')
  await file.sync()
  await file.close()
  await link(fresh, to)
  await flush(dirname(to))
}

async function flush(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync()
  await folder.close()
}
