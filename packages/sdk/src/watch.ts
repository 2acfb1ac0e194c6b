import type { WatchedStep } from '@fleet/contract'
import type { Details } from '@fleet/kernel'
import { type Answer, type AnswerFacts, isObject, notApi, readEnvelope, refusal } from './answer.ts'
import { AnswerError } from './errors.ts'

/**
 * Reads the lines of watched work to the last one, which is the result or the error. A gateway that answers the plain
 * envelope, because the operation cannot be watched there, is read as one.
 */
export async function readWatched(
  next: () => Promise<IteratorResult<string>>,
  watch: (step: WatchedStep) => void,
  facts: AnswerFacts,
): Promise<Answer<unknown>> {
  for (;;) {
    const turn = await next()
    if (turn.done) throw cutOff(facts)
    const text = turn.value
    const line = parsed(text, facts)
    if (!isObject(line) || !('type' in line)) return readEnvelope(text, facts)
    const status = statusOf(line, facts)
    if (line['type'] === 'error') throw refusal(line['error'], text, { ...facts, status })
    if (line['type'] === 'result') return readEnvelope(text, { ...facts, status })
    if (isStep(line)) watch(line)
  }
}

/** Lines of another type may come with later gateways; they are passed over. */
const isStep = (line: object): line is WatchedStep =>
  'type' in line &&
  line.type === 'step' &&
  'step' in line &&
  typeof line.step === 'string' &&
  'status' in line

function parsed(text: string, facts: AnswerFacts): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notApi(facts, 'a line of its response is not JSON', cause)
  }
}

/** The status of a last line; an earlier gateway has none in that of a stream. */
export const statusOf = (line: Details, { status }: AnswerFacts): number =>
  typeof line['status'] === 'number' ? line['status'] : status

export const cutOff = ({ status, requestId }: AnswerFacts): AnswerError =>
  new AnswerError('The connection ended before the result. The work may still be running.', {
    status,
    requestId,
    isCutOff: true,
  })
