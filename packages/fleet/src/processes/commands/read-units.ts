import { MalformedOutput, programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'
import { STATUS_WORD } from '#/processes/commands/act.ts'

/** What systemd says of a unit at this moment. */
export interface UnitReading {
  readonly status: string
  /** Share of one core; null for a unit that does not run. */
  readonly cpu: number | null
  readonly memoryBytes: number | null
}

/** Status and usage of units by name, in one round trip. */
export const readUnits: NodeScript<readonly string[], ReadonlyMap<string, UnitReading>> = {
  source: programOf(textFile('read-units.sh', import.meta.url), START),
  args: (units) => units,
  timeoutSeconds: 15,
  reasons: { 'no-systemd': 'node.capability_missing' },
  broken: 'process.runtime_failed',
  read: (answer) => {
    const nanoseconds = Number(answer.text('nanoseconds'))
    if (!(nanoseconds > 0)) throw new MalformedOutput('not a time')
    const before = unitsIn(answer.text('before'))
    return new Map(
      [...unitsIn(answer.text('after'))].map(([name, unit]) => [
        name,
        readingOf(unit, before.get(name), nanoseconds),
      ]),
    )
  },
}

type Properties = ReadonlyMap<string, string>

/** `Name=value` lines of `systemctl show`, by the unit: each begins with its `Id`, or has it among the others. */
export function unitsIn(text: string): ReadonlyMap<string, Properties> {
  const blocks = text.split(/\n\s*\n/).map(
    (block) =>
      new Map(
        block.split('\n').flatMap((line) => {
          const at = line.indexOf('=')
          return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
        }),
      ),
  )
  return new Map(blocks.flatMap((block) => (block.has('Id') ? [[block.get('Id') ?? '', block]] : [])))
}

function readingOf(unit: Properties, before: Properties | undefined, nanoseconds: number): UnitReading {
  const status = unit.get('ActiveState') ?? ''
  const [first, last] = [countIn(before, 'CPUUsageNSec'), countIn(unit, 'CPUUsageNSec')]
  const isRunning = status === 'active' || status === 'deactivating'
  return {
    status: STATUS_WORD.test(status) ? status : 'inactive',
    cpu: isRunning && first !== null && last !== null ? Math.max(0, last - first) / nanoseconds : null,
    memoryBytes: isRunning ? countIn(unit, 'MemoryCurrent') : null,
  }
}

/** systemd prints 2^64 - 1, or a text, for what it does not know. */
function countIn(unit: Properties | undefined, name: string): number | null {
  const text = unit?.get(name) ?? ''
  return /^\d{1,19}$/.test(text) ? Number(text) : null
}
