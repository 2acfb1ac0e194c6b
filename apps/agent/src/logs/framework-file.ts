import { type FileHandle, readdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { linesOfBlockAbove } from '@fleet/kernel'
import { Lines } from './lines.ts'
import { openBelow } from './open-below.ts'
import {
  FIRST_MAX_BYTES,
  LOOK_MILLISECONDS,
  type ReaderDeps,
  type ReadSource,
  type Sink,
  type Source,
  SourceUnavailable,
} from './source.ts'

/** A line longer than this is cut before it is looked at for blocks to mask. */
const LINE_MAX_BYTES = 256 * 1024
/** A reader this far behind skips to near the end: a live log shows what happens now. */
const BEHIND_MAX_BYTES = 1024 * 1024
const READ_BYTES = 64 * 1024
const NEWLINE = 0x0a

/**
 * The log file of a framework: its end, then what is written to it, also when it is rotated or emptied. Where it is
 * missing, the newest of those with a date beside it is read, as frameworks write that make one each day (INS-124); with none of them it
 * is waited for. No link is followed from the checkout on, and a file of the refused owner, which is root on a
 * machine, is never read: an application could have led either to what nobody may see.
 */
export const frameworkFile =
  (place: LogFile, { clock, refusedOwner }: Omit<ReaderDeps, 'docker'>): ReadSource =>
  async (sink, signal) => {
    await using reader = new Reader(place, sink, refusedOwner)
    const begun = await reader.open()
    sink.first(begun ? await reader.end() : [])
    while (!signal.aborted) {
      await clock.sleep(LOOK_MILLISECONDS, signal)
      if (!signal.aborted) await reader.look()
    }
  }

type LogFile = Pick<Extract<Source, { readonly type: 'laravel' }>, 'path' | 'checkout'>

class Reader implements AsyncDisposable {
  readonly #place: LogFile
  readonly #sink: Sink
  readonly #refusedOwner: number | undefined
  #file: OpenFile | undefined
  #offset = 0
  #lines = new Lines(LINE_MAX_BYTES)

  constructor(place: LogFile, sink: Sink, refusedOwner: number | undefined) {
    this.#refusedOwner = refusedOwner
    this.#place = place
    this.#sink = sink
  }

  /** False when there is no file yet. Throws SourceUnavailable. */
  async open(): Promise<boolean> {
    const opened = await openLog(this.#place, this.#refusedOwner)
    if (!opened) return false
    await this.#file?.handle.close()
    this.#file = opened
    this.#offset = 0
    this.#lines = new Lines(LINE_MAX_BYTES)
    return true
  }

  /** The lines at the end of the file; a line that is not ended yet comes with what ends it. */
  async end(): Promise<ReturnType<Lines['take']>> {
    if (!this.#file) return []
    const { size } = await this.#file.handle.stat()
    const from = Math.max(0, size - FIRST_MAX_BYTES)
    const bytes = await bytesAt(this.#file.handle, from, size - from)
    this.#offset = from + bytes.length
    const lines = this.#lines.take(bytes)
    // The first one is the end of a line that begins above.
    return from > 0 ? lines.slice(1) : lines
  }

  async look(): Promise<void> {
    if (!this.#file) return void (await this.open())
    if (!(await this.#isAtEnd(this.#file.handle))) return
    if (!(await isAnother(this.#place.path, this.#file))) return
    // What was written to it before the other one was there.
    if (!(await this.#isAtEnd(this.#file.handle))) return
    this.#sink.take(this.#lines.rest())
    await this.open()
  }

  /** Reads what there is room for; whether that was all. */
  async #isAtEnd(handle: FileHandle): Promise<boolean> {
    const { size } = await handle.stat()
    if (size < this.#offset) {
      this.#offset = 0
      this.#lines = new Lines(LINE_MAX_BYTES)
    }
    await this.#read(handle, size)
    return this.#offset >= size
  }

  async #read(handle: FileHandle, size: number): Promise<void> {
    if (size - this.#offset > BEHIND_MAX_BYTES) await this.#jump(handle, size)
    // What does not fit stays in the file until there is room.
    const most = Math.min(size - this.#offset, this.#sink.room)
    let left = most
    while (left > 0) {
      const bytes = await bytesAt(handle, this.#offset, Math.min(left, READ_BYTES))
      if (bytes.length === 0) return
      this.#offset += bytes.length
      left -= bytes.length
      this.#sink.take(this.#lines.take(bytes))
    }
  }

  async #jump(handle: FileHandle, size: number): Promise<void> {
    const near = size - READ_BYTES
    const bytes = await bytesAt(handle, near, READ_BYTES)
    const lines = new Lines(LINE_MAX_BYTES).take(bytes).slice(1)
    let at = bytes.indexOf(NEWLINE) + 1
    // The rest of a key is passed over with its beginning, without which nobody knows it as one.
    for (let left = linesOfBlockAbove(lines.map(({ text }) => text)); left > 0; left -= 1)
      at = bytes.indexOf(NEWLINE, at) + 1
    this.#sink.skip(near + at - this.#offset)
    this.#offset = near + at
    this.#lines = new Lines(LINE_MAX_BYTES)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.handle.close()
  }
}

interface OpenFile {
  readonly handle: FileHandle
  readonly inode: number
  /** The name of one with a date, which is read in the place of the log. */
  readonly dated: string | undefined
}

/** Whether the log is another file by now. Only a later one follows one with a date: what is older is no more written to. */
async function isAnother(path: string, { inode, dated }: OpenFile): Promise<boolean> {
  const now = await stat(path).catch(() => undefined)
  if (now) return now.ino !== inode
  if (dated === undefined) return false
  const newest = newestDated(path, await readdir(dirname(path)).catch(() => []))
  return newest !== undefined && newest > dated
}

const DATED_END = /^-\d{4}-\d{2}-\d{2}\.log$/

/** `laravel-2026-10-01.log` of `laravel.log`: names that end with their date. */
function newestDated(path: string, names: readonly string[]): string | undefined {
  const name = basename(path, '.log')
  const dated = names.filter((one) => one.startsWith(name) && DATED_END.test(one.slice(name.length)))
  return dated.toSorted().at(-1)
}

/** Undefined where there is no such file in a folder that is there. Throws SourceUnavailable. */
async function openLog(
  { path, checkout }: LogFile,
  refusedOwner: number | undefined,
): Promise<OpenFile | undefined> {
  let dated: string | undefined
  const handle = await openBelow(checkout, path, (names) => (dated = newestDated(path, names))).catch(
    (error: unknown) => {
      throw new SourceUnavailable(error)
    },
  )
  if (!handle) return undefined
  const found = await handle.stat()
  if (found.isFile() && found.uid !== refusedOwner) return { handle, inode: found.ino, dated }
  await handle.close()
  throw new SourceUnavailable()
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
