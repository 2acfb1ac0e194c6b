import { type Clock, within } from '@fleet/kernel'
import type { Answer } from './answer.ts'
import { LineQueue } from './lines.ts'
import { SPACE } from './probe.ts'

/** Well below the 300 s after which clients of MCP take a silent server for a lost one. */
const SILENT_MILLISECONDS = 15_000

/**
 * What a message is answered with status 200, whatever becomes of it, so the answer can begin before its work has ended: white space,
 * with which JSON may begin, and then the message. `working` never rejects.
 */
export async function patiently(clock: Clock, working: Promise<unknown>): Promise<Answer> {
  const answered = await within(clock, SILENT_MILLISECONDS, working)
  if (answered.inTime) return { status: 200, body: answered.value }
  const lines = new LineQueue()
  void writeSpaces(clock, working, lines)
  return { status: 200, body: undefined, lines, done: working }
}

async function writeSpaces(clock: Clock, working: Promise<unknown>, lines: LineQueue): Promise<void> {
  for (;;) {
    void lines.push(SPACE)
    const answered = await within(clock, SILENT_MILLISECONDS, working)
    if (!answered.inTime) continue
    void lines.push(answered.value)
    return lines.end()
  }
}
