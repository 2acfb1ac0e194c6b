import { SealBroken } from '@fleet/store'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { makeStored } from '#/environment/stored.ts'

/** `sqlite:///` with an absolute path, as in `DATABASE_URL`. */
const SQLITE_URL = /^sqlite:\/{2,3}(?=\/)/

/** Whether a stored value of the Instance is this path, alone or as the URL of a SQLite database. Values that nobody can read name none. */
export const makeNamesPath = (deps: Pick<EnvironmentDeps, 'store'>) => {
  const stored = makeStored(deps)
  return async (instanceId: number, path: string): Promise<boolean> => {
    try {
      const values = await stored(instanceId)
      return [...values.values()].some((value) => value.replace(SQLITE_URL, '') === path)
    } catch (error) {
      if (error instanceof SealBroken) return false
      throw error
    }
  }
}
