import { readdirSync } from 'node:fs'
import { CACHE_FOLDER } from './place.ts'

const FINISHED = /^(base|layer|server)-[0-9a-f]{16}$/
const UNFINISHED = /\.building-(\d+)(\.upper)?$/

/** Names of the finished trees in the cache. */
export const cachedTrees = (): readonly string[] => cached().filter((name) => FINISHED.test(name))

/** Trees whose builder has died, as a crash leaves them. */
export const abandonedTrees = (): readonly string[] =>
  cached().filter((name) => {
    const pid = UNFINISHED.exec(name)?.[1]
    return pid !== undefined && !isAlive(Number(pid))
  })

function cached(): readonly string[] {
  try {
    return readdirSync(CACHE_FOLDER)
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
