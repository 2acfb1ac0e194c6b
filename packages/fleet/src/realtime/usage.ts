import { type EventData, PROCESS_USAGE_PART } from '@fleet/contract'
import type { Call } from '#/call.ts'

export interface ProcessSample {
  readonly id: number
  /** Share of one core; null without a sample, as of a Process that does not run (EV-037). */
  readonly cpu: number | null
  readonly memoryBytes: number | null
}

/** What Processes use, from the domains above. */
export interface ProcessUsage {
  /** Of every Process of the fleet, by id. */
  sample(call: Call): Promise<readonly ProcessSample[]>
}

/** More digits would only make 200 of them too long for one event. */
const CPU_DIGITS = 3

/**
 * The events of one sample, which all have its time as their id (EV-034 to EV-037). A fleet without Processes is
 * published as such.
 */
export function usageEvents(samples: readonly ProcessSample[], at: Date) {
  const parts = Math.max(1, Math.ceil(samples.length / PROCESS_USAGE_PART))
  const id = Math.floor(at.getTime() / 1000)
  return Array.from({ length: parts }, (_, index) => ({
    type: 'process.usage' as const,
    id,
    data: {
      part: index + 1,
      parts,
      processes: samples.slice(index * PROCESS_USAGE_PART, (index + 1) * PROCESS_USAGE_PART).map(rowOf),
    } satisfies EventData<'process.usage'>,
  }))
}

const rowOf = ({ id, cpu, memoryBytes }: ProcessSample): [number, number | null, number | null] => [
  id,
  cpu === null ? null : Number(cpu.toFixed(CPU_DIGITS)),
  memoryBytes,
]
