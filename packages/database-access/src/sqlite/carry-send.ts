import { createHash } from 'node:crypto'
import { access, constants, type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DatabaseSync } from 'node:sqlite'
import { type FileProblem, FileRefused, problemOf } from './file-problem.ts'
import { backUp, needsUndo, requireFileInside } from './files.ts'
import { dropLeft, placeOf, SNAPSHOTS } from './left.ts'

/** A database that is carried to another machine. */
export interface SendRequest {
  /** Of the carriage: a later attempt takes the place of an earlier one. */
  readonly id: string
  readonly from: string
  /** Folder that the file has to be in, whatever links say. */
  readonly fromRoot?: string | undefined
}

/** The first line of what is sent. */
export interface CarryHeader {
  readonly bytes: number
  /** SHA-256 of the bytes that follow, in hexadecimal. */
  readonly digest: string
  /** Permissions of the source. */
  readonly mode: number
}

const CHUNK_BYTES = 1024 * 1024
const LOCK_MILLISECONDS = 5000

/** Refuses what could not be sent, without a copy. Throws FileRefused. */
export async function examineDatabase({ from, fromRoot = '/' }: Omit<SendRequest, 'id'>): Promise<void> {
  await reading(async () => {
    const path = await requireFileInside(from, fromRoot)
    using database = new DatabaseSync(path, { readOnly: true, timeout: LOCK_MILLISECONDS })
    try {
      database.prepare('SELECT count(*) FROM sqlite_schema').get()
    } catch (error) {
      if (!needsUndo(error)) throw error
      // It will be undone when it is sent, which takes the right to write.
      await Promise.all([path, dirname(path)].map((each) => access(each, constants.W_OK)))
    }
  })
}

/**
 * Sends a database that others may be writing to, as of one moment: a header, then its bytes. The snapshot is checked, and has
 * no name any more when the first byte is sent. Throws FileRefused before anything is sent.
 */
export async function sendDatabase(request: SendRequest, to: Writable, folder = SNAPSHOTS): Promise<void> {
  const { header, snapshot } = await reading(() => taken(request, folder))
  try {
    to.write(`${JSON.stringify(header)}\n`)
    await pipeline(snapshot.createReadStream({ start: 0, autoClose: false }), to, { end: false })
  } finally {
    await snapshot.close()
  }
}

/** SHA-256 of what would be sent now: the same until somebody changes the database. Throws FileRefused. */
export async function digestDatabase(request: SendRequest, folder = SNAPSHOTS): Promise<string> {
  const { header, snapshot } = await reading(() => taken(request, folder))
  await snapshot.close()
  return header.digest
}

async function taken({ id, from, fromRoot = '/' }: SendRequest, folder: string) {
  const source = await requireFileInside(from, fromRoot)
  await dropLeft(folder, id)
  const place = join(folder, placeOf(id))
  await mkdir(place, { mode: 0o700 })
  try {
    const path = join(place, 'snapshot')
    await backUp(source, path, LOCK_MILLISECONDS)
    requireSound(path)
    const snapshot = await open(path, 'r')
    return { header: await headerOf(snapshot, (await stat(source)).mode & 0o777), snapshot }
  } finally {
    // The open file lives on without its name.
    await rm(place, { recursive: true, force: true })
  }
}

/** Throws FileRefused for a database whose pages do not fit together. */
export function requireSound(path: string): void {
  using database = new DatabaseSync(path)
  const answer = database.prepare('PRAGMA integrity_check(1)').get()
  if (answer?.['integrity_check'] !== 'ok') throw new FileRefused('damaged')
}

async function headerOf(file: FileHandle, mode: number): Promise<CarryHeader> {
  const hash = createHash('sha256')
  let bytes = 0
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, bytes)
    if (bytesRead === 0) break
    hash.update(buffer.subarray(0, bytesRead))
    bytes += bytesRead
  }
  return { bytes, digest: hash.digest('hex'), mode }
}

/** Errors of the file system and of SQLite by what they mean for the carriage. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const problem: FileProblem = problemOf(error)
    throw new FileRefused(problem)
  }
}
