import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Clock, PEM_MAX_LINES } from '@fleet/kernel'
import { isObject } from '../gateway.ts'
import { PROGRAM_ENVIRONMENT } from '../programs.ts'
import { type Line, Lines } from './lines.ts'
import { Pace } from './pace.ts'
import { FIRST_MAX_BYTES, type ReadSource, SourceUnavailable } from './source.ts'

/** LOGS-016. The program writes binary messages as numbers, so its own line may be several times as long. */
const ENTRY_MAX_BYTES = 256 * 1024
const RECORD_MAX_BYTES = 6 * ENTRY_MAX_BYTES

const LOOK_AGAIN_MILLISECONDS = 500

const WORDS = ['--quiet', '--no-pager', '--all', '--output=json', '--output-fields=MESSAGE']

/**
 * The journal of a unit: its last lines, then what is added after the last of them, by the entry's own cursor, so nothing
 * is lost or twice in between.
 */
export const journal =
  (unit: string, count: number, clock: Clock, program = 'journalctl'): ReadSource =>
  async (sink, signal) => {
    const words = [program, ...WORDS, `--unit=${unit}`] as const
    const recent = new Recent()
    // A block may begin above the first line that is shown.
    await reading([...words, `--lines=${count + PEM_MAX_LINES}`], signal, (entry) => recent.add(entry))
    if (signal.aborted) return
    sink.first(recent.lines)
    let { cursor } = recent
    const pace = new Pace(clock)
    // Its own `--follow` is not woken on hosts in the unit of an agent, so it is asked again and again what is new.
    while (!signal.aborted) {
      await clock.sleep(LOOK_AGAIN_MILLISECONDS, signal)
      if (signal.aborted) return
      await reading(
        cursor === undefined ? words : [...words, `--after-cursor=${cursor}`],
        signal,
        (entry) => {
          cursor = entry.cursor ?? cursor
          sink.take(entry.lines)
          return pace.read(entry.bytes)
        },
      )
    }
  }

interface Entry {
  readonly cursor: string | undefined
  readonly lines: readonly Line[]
  readonly bytes: number
}

/** The newest lines that the bound holds. */
class Recent {
  readonly #lines: Line[] = []
  #bytes = 0
  cursor: string | undefined

  add({ cursor, lines, bytes }: Entry): undefined {
    this.cursor = cursor ?? this.cursor
    this.#lines.push(...lines)
    this.#bytes += bytes
    while (this.#bytes > 2 * FIRST_MAX_BYTES && this.#lines.length > 1)
      this.#bytes -= Buffer.byteLength(this.#lines.shift()?.text ?? '')
  }
  get lines(): readonly Line[] {
    return this.#lines
  }
}

/** Runs the program until it or the signal ends; each entry is waited for before the next is read. */
async function reading(
  words: readonly [string, ...string[]],
  signal: AbortSignal,
  each: (entry: Entry) => Promise<void> | undefined,
): Promise<void> {
  using child = new Journalctl(words, signal)
  const records = new Lines(RECORD_MAX_BYTES)
  for await (const chunk of child.output)
    for (const record of records.take(chunk)) await each(entryOf(record))
  if ((await child.ended) !== 0 && !signal.aborted) throw new SourceUnavailable()
}

class Journalctl implements Disposable {
  readonly #child: ChildProcess
  readonly #signal: AbortSignal
  readonly #kill = (): void => void this.#child.kill('SIGKILL')
  readonly output: AsyncIterable<Buffer>
  /** Its exit status; undefined when it could not start or was killed. */
  readonly ended: Promise<number | undefined>

  constructor([program, ...words]: readonly [string, ...string[]], signal: AbortSignal) {
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: PROGRAM_ENVIRONMENT,
    })
    this.#child = child
    this.#signal = signal
    this.output = child.stdout
    this.ended = once(child, 'close').then(
      ([status]) => (typeof status === 'number' ? status : undefined),
      () => undefined,
    )
    signal.addEventListener('abort', this.#kill, { once: true })
    if (signal.aborted) this.#kill()
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#kill)
    this.#kill()
  }
}

function entryOf({ text, skipped }: Line): Entry {
  const record = skipped > 0 ? undefined : parsed(text)
  if (!isObject(record)) return { cursor: undefined, lines: [{ text: '', skipped: 1 }], bytes: text.length }
  const cursor = typeof record['__CURSOR'] === 'string' ? record['__CURSOR'] : undefined
  const bytes = bytesOf(record['MESSAGE'])
  const lines = new Lines(ENTRY_MAX_BYTES)
  const kept = bytes.subarray(0, ENTRY_MAX_BYTES)
  const whole = [...lines.take(kept), ...lines.rest()]
  const last = whole.at(-1)
  const cut = bytes.length - kept.length
  if (last && cut > 0) whole.splice(-1, 1, { ...last, skipped: cut })
  return { cursor, lines: whole.length > 0 ? whole : [{ text: '', skipped: 0 }], bytes: kept.length }
}

/** A message that is no text of UTF-8 comes as the numbers of its bytes. */
function bytesOf(message: unknown): Buffer {
  if (typeof message === 'string') return Buffer.from(message)
  return Array.isArray(message) ? Buffer.from(message.map(Number)) : Buffer.alloc(0)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
