import { CodedError } from '@fleet/kernel'
import { ANSWER_LIMITS, inspection, type Inspected, readInspection } from '#/doctor/inspection.ts'
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
  try {
    const maxOutputBytes = ANSWER_LIMITS.all + questions.length * FRAME_BYTES
    const options = { timeoutSeconds: INSPECTION_SECONDS, maxOutputBytes }
    const { stdout } = await session.asRoot(inspection(questions), options)
    const read = readInspection(stdout, questions.length)
    return read
      ? { answers: new Map(read.map((answer, at) => [questionAt(questions, at), answer])) }
      : 'failed'
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return error.code === 'node.unreachable' || error.code === 'node.connection_lost' ? 'lost' : 'failed'
  }
}

function questionAt(questions: ReadonlyArray<Question<unknown>>, at: number): Question<unknown> {
  const question = questions[at]
  if (!question) throw new Error('an answer without its question')
  return question
}
