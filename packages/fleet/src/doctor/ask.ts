import { CodedError } from '@fleet/kernel'
import {
  ANSWER_LIMITS,
  inspection,
  type Inspected,
  readInspection,
  readStarted,
} from '#/doctor/inspection.ts'
import type { OutputListener } from '@fleet/ssh'
import type { Check, NodeSession, Question } from '#/nodes/api.ts'

const INSPECTION_SECONDS = 60
/** The exit code of an answer and what separates both. */
const FRAME_BYTES = 16

export type Answers = ReadonlyMap<Question<unknown>, Inspected>

/** `lost` when the Node stopped to answer meanwhile, `failed` when it answered something else than agreed. */
export type NodeAnswers = { readonly answers: Answers } | 'lost' | 'failed'

/** Asks each distinct question of the checks once, all in one round trip. */
export async function askAll(session: NodeSession, checks: readonly Check[]): Promise<NodeAnswers> {
  const questions = [...new Set(checks.flatMap((check) => (check.kind === 'asked' ? [check.question] : [])))]
  if (questions.length === 0) return { answers: new Map() }
  const answersOf = (read: readonly Inspected[] | undefined): NodeAnswers =>
    read ? { answers: new Map(read.map((answer, at) => [questionAt(questions, at), answer])) } : 'failed'
  const printed = new Printed(ANSWER_LIMITS.all + questions.length * FRAME_BYTES)
  try {
    const { onOutput, signal } = printed
    await session.asRoot(inspection(questions), { timeoutSeconds: INSPECTION_SECONDS, onOutput, signal })
    return answersOf(readInspection(printed.bytes(), questions.length))
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    // What was answered by then is as good as ever.
    if (error.code === 'command.deadline_exceeded')
      return answersOf(readStarted(printed.bytes(), questions.length))
    return error.code === 'node.unreachable' || error.code === 'node.connection_lost' ? 'lost' : 'failed'
  }
}

/** What a command printed, up to a number of bytes; above that it is ended. */
class Printed {
  readonly #chunks: Buffer[] = []
  readonly #end = new AbortController()
  readonly signal = this.#end.signal
  #left: number

  constructor(maxBytes: number) {
    this.#left = maxBytes
  }

  readonly onOutput: OutputListener = (stream, chunk) => {
    if (stream !== 'stdout') return
    this.#left -= chunk.length
    if (this.#left >= 0) this.#chunks.push(chunk)
    else this.#end.abort()
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

function questionAt(questions: ReadonlyArray<Question<unknown>>, at: number): Question<unknown> {
  const question = questions[at]
  if (!question) throw new Error('an answer without its question')
  return question
}
