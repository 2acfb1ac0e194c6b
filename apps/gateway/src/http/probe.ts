import type { Emit } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'

/** Written as one space, which a reader of lines skips: JSON may begin with white space. */
export const SPACE = Symbol('space')

const EVERY_MILLISECONDS = 10
const PROBE_MILLISECONDS = 250

/** The line with which a phase of a deployment begins. */
export const isPhase = (line: unknown): boolean =>
  typeof line === 'object' && line !== null && 'type' in line && line.type === 'phase'

/**
 * Writes white space for a quarter of a second before a phase begins, so that a client that has gone is noticed by a write
 * that fails (DEPL-026). Nobody waits for a slow reader here.
 */
export async function probeClient(clock: Pick<Clock, 'sleep'>, push: Emit): Promise<void> {
  for (let passed = 0; passed < PROBE_MILLISECONDS; passed += EVERY_MILLISECONDS) {
    void push(SPACE)
    await clock.sleep(EVERY_MILLISECONDS)
  }
}
