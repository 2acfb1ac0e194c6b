import { systemClock } from '@fleet/kernel'

/** Asks until the count is the wanted one, or half a minute has passed; answers the last one. */
export async function reached(count: () => Promise<number>, wanted: number): Promise<number> {
  for (let tries = 0; tries < 600; tries += 1) {
    if ((await count()) === wanted) return wanted
    await systemClock.sleep(50)
  }
  return count()
}
