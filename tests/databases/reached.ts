import { systemClock } from '@fleet/kernel'

/** Asks until the count is the wanted one, or the time has passed; answers the last one. */
export async function reached(count: () => Promise<number>, wanted: number, seconds = 30): Promise<number> {
  for (let tries = 0; tries < seconds * 20; tries += 1) {
    if ((await count()) === wanted) return wanted
    await systemClock.sleep(50)
  }
  return count()
}
