import type { HibernationSettings } from '#/hibernation/deps.ts'
import type { Markers } from '#/processes/api.ts'

/** What a look at an idle Instance asks for: to stop its Processes, to remove its dependencies, or nothing. */
export type Due = 'halt' | 'prune' | undefined

type Windows = Pick<HibernationSettings, 'idleSeconds' | 'dependencyIdleSeconds'>

/**
 * Its last use is the newest of its last visit, its awake marker and the start of a Process by a person; without any it is idle
 * (HIB-008). One that sleeps already is pruned once the long window is over, counted from its last visit or the use before it was put to sleep (HIB-010).
 */
export function dueOf({ awake, started, visited, slept, isCold }: Markers, settings: Windows): Due {
  const isAsleep = awake === undefined && slept !== undefined
  if (!isAsleep) return newest(awake, started, visited) >= settings.idleSeconds ? 'halt' : undefined
  if (isCold) return undefined
  return newest(slept, visited) >= settings.dependencyIdleSeconds ? 'prune' : undefined
}

/** Age of the youngest; infinite without any. */
const newest = (...ages: readonly (number | undefined)[]): number =>
  Math.min(...ages.map((age) => age ?? Number.POSITIVE_INFINITY))
