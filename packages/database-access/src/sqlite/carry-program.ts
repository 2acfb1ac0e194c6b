import type { CarryHeader } from './carry-send.ts'
import { digestDatabase, examineDatabase, sendDatabase } from './carry-send.ts'
import { type FileProblem, FileRefused, problemOf } from './file-problem.ts'
import { dropLeft, SNAPSHOTS } from './left.ts'
import { dropReceived, receiveDatabase, type ReceiveRequest, releaseClaim } from './carry-receive.ts'

/** At which end it was not carried: the source, on the way, or the destination. */
export type CarryEnd = 'source' | 'way' | 'destination'

/** What the program prints, but for `send`, which prints a header or a problem and the bytes of a database. */
export type CarryAnswer =
  | { readonly done: string }
  | { readonly end: CarryEnd; readonly problem: FileProblem }

const LINE_BYTES = 64 * 1024

/**
 * `node-sqlite-carry`: its word says what to do, and its first line of standard input with which paths. `receive` reads what `send`
 * of another machine prints after it.
 */
export async function main(words: readonly string[]): Promise<number> {
  const input = new Input(process.stdin)
  const given = textsOf(await input.line())
  if (!given) return 64
  const [word] = words
  await dropLeft(SNAPSHOTS)
  if (word === 'send') return sending(given)
  const work =
    given.to === undefined
      ? sourceWork(word, given)
      : destinationWork(word, { ...given, to: given.to }, input)
  if (!work) return 64
  await print(await work)
  return 0
}

type Given = Readonly<Partial<Record<'id' | 'from' | 'fromRoot' | 'to' | 'toRoot' | 'claim', string>>>

async function sending({ id = '', from = '', fromRoot }: Given): Promise<number> {
  // Whoever takes it may stop, and has then said why.
  process.stdout.on('error', () => undefined)
  try {
    await sendDatabase({ id, from, fromRoot }, process.stdout)
  } catch (error) {
    // It broke on the way: what was printed is not complete, and must not end like it.
    if (!(error instanceof FileRefused)) return 1
    await print({ end: 'source', problem: error.problem })
  }
  return 0
}

function sourceWork(
  word: string | undefined,
  { id = '', from = '', fromRoot }: Given,
): Promise<CarryAnswer> | undefined {
  const at = { id, from, fromRoot }
  switch (word) {
    case 'examine':
      return answering('source', async () => {
        await examineDatabase(at)
        return 'examined'
      })
    case 'digest':
      return answering('source', () => digestDatabase(at))
    default:
      return undefined
  }
}

function destinationWork(
  word: string | undefined,
  { to, toRoot = '/', claim }: Given & { readonly to: string },
  input: Input,
): Promise<CarryAnswer> | undefined {
  const at = { to, toRoot, claim }
  switch (word) {
    case 'receive':
      return receiving(at, input)
    case 'drop':
      return answering('destination', async () => {
        await dropReceived(at)
        return 'dropped'
      })
    case 'release':
      return answering('destination', async () => {
        await releaseClaim(at)
        return 'released'
      })
    default:
      return undefined
  }
}

async function receiving(at: ReceiveRequest, input: Input): Promise<CarryAnswer> {
  const line = await input.line().catch(() => '')
  const header = headerOf(line)
  if (!header) return refusalIn(line) ?? { end: 'way', problem: 'torn' }
  const answer = await answering('destination', async () => {
    await receiveDatabase(at, header, input.rest())
    return header.digest
  })
  return 'problem' in answer && answer.problem === 'torn' ? { end: 'way', problem: 'torn' } : answer
}

async function answering(end: CarryEnd, work: () => Promise<string>): Promise<CarryAnswer> {
  try {
    return { done: await work() }
  } catch (error) {
    return { end, problem: problemOf(error) }
  }
}

const print = (answer: CarryAnswer): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(answer)}\n`, () => resolve())
  })

const membersOf = (line: string): ReadonlyMap<string, unknown> => {
  try {
    const given: unknown = JSON.parse(line)
    return new Map(typeof given === 'object' && given !== null ? Object.entries(given) : [])
  } catch {
    return new Map()
  }
}

function textsOf(line: string): Given | undefined {
  const members = membersOf(line)
  const names = ['id', 'from', 'fromRoot', 'to', 'toRoot', 'claim'] as const
  const texts = Object.fromEntries(
    names.flatMap((name) => {
      const value = members.get(name)
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  return Object.keys(texts).length === 0 ? undefined : texts
}

function headerOf(line: string): CarryHeader | undefined {
  const members = membersOf(line)
  const [bytes, digest, mode] = ['bytes', 'digest', 'mode'].map((name) => members.get(name))
  if (typeof bytes !== 'number' || typeof digest !== 'string' || typeof mode !== 'number') return undefined
  return { bytes, digest, mode }
}

const PROBLEMS: readonly FileProblem[] = [
  'missing',
  'outside',
  'damaged',
  'denied',
  'busy',
  'full',
  'read_only',
  'failed',
]

/** What the other end has printed in the place of a header. */
function refusalIn(line: string): CarryAnswer | undefined {
  const problem = PROBLEMS.find((each) => each === membersOf(line).get('problem'))
  return problem && { end: 'source', problem }
}

/** Standard input as lines first and bytes then. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>
  #left: Buffer = Buffer.alloc(0)

  constructor(from: AsyncIterable<Buffer>) {
    this.#chunks = from[Symbol.asyncIterator]()
  }

  /** Without its end. What is longer than any line is none. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#left.indexOf('\n')
      if (end >= 0) {
        const line = this.#left.subarray(0, end).toString()
        this.#left = this.#left.subarray(end + 1)
        return line
      }
      const next = this.#left.length < LINE_BYTES ? await this.#chunks.next() : undefined
      if (!next || next.done) {
        const line = this.#left.toString()
        this.#left = Buffer.alloc(0)
        return line
      }
      this.#left = Buffer.concat([this.#left, next.value])
    }
  }

  async *rest(): AsyncGenerator<Buffer> {
    if (this.#left.length > 0) yield this.#left
    for (;;) {
      const next = await this.#chunks.next()
      if (next.done) return
      yield next.value
    }
  }
}
