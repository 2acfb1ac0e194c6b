import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MILLISECONDS = 20

/** Waits until the answer is something else than undefined; undefined again when the time is over. */
export async function waitFor<T>(seconds: number, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const answer = await ask()
    if (answer !== undefined || performance.now() > end) return answer
    await sleep(POLL_MILLISECONDS)
  }
}
