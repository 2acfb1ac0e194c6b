import type { TestGateway } from '../api/harness.ts'

export const AT_ONCE = 12
const PATH = '/api/v1/projects'

/** As many reads of Projects at once, and as many again: the milliseconds of each. Throws when one is not answered. */
export async function burst(fleet: TestGateway): Promise<readonly number[]> {
  const taken: number[] = []
  const read = async (): Promise<void> => {
    const start = performance.now()
    const { status, text } = await fleet.ask('GET', PATH)
    taken.push(performance.now() - start)
    if (status !== 200) throw new Error(text)
  }
  for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: AT_ONCE }, read))
  return taken
}
