import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MILLISECONDS = 20
/** Questions to a host start programs there, and several wait at the same time. */
const LONGEST_MILLISECONDS = 200
const GROWTH = 1.3

/** Waits until the answer is something else than undefined; undefined again when the time is over. */
export async function waitFor<T>(seconds: number, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + seconds * 1000
  for (let pause = FIRST_MILLISECONDS; ; pause = Math.min(pause * GROWTH, LONGEST_MILLISECONDS)) {
    const answer = await ask()
    const left = end - performance.now()
    if (answer !== undefined || left <= 0) return answer
    await sleep(Math.min(pause, left))
  }
}
