import { ControlGroup } from './control-group.ts'
import { diskUse } from './disk.ts'
import type { Host } from './host.ts'
import { isCutOff } from './network.ts'
import { hostPlace, type Place } from './place.ts'

/** One row of `npm run lab -- status`. */
export interface HostStatus {
  readonly name: string
  readonly address: string
  /** `running`, `paused` or `off`, then what else is wrong with it on purpose. */
  readonly state: string
  readonly disk: string
  readonly roles: string
}

const MEGABYTE = 1024 * 1024

/** Asked from the kernel, not from a record. */
export async function statusOf(place: Place, host: Host): Promise<HostStatus> {
  const { roles, number, clockOffsetSeconds } = host.record
  const own = hostPlace(place, host.name)
  const group = new ControlGroup(own.id)
  const use = diskUse(own)
  const troubles = [
    host.isOn() && (await isCutOff(place, number)) ? 'cut off' : '',
    use !== undefined && use.used === use.size ? 'disk full' : '',
    clockOffsetSeconds === 0 ? '' : `clock ${clockOffsetSeconds > 0 ? '+' : ''}${clockOffsetSeconds} s`,
  ].filter((trouble) => trouble !== '')
  return {
    name: host.name,
    address: host.address,
    state: [group.isFrozen() ? 'paused' : host.isOn() ? 'running' : 'off', ...troubles].join(', '),
    disk: use ? `${megabytes(use.used)} of ${megabytes(use.size)} MB` : '',
    roles: roles.join(', '),
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / MEGABYTE)

const COLUMNS = ['name', 'address', 'state', 'disk', 'roles'] as const

/** The rows under their names, in columns as wide as needed. */
export function table(rows: readonly HostStatus[]): readonly string[] {
  const cells = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))]
  const widths = COLUMNS.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)))
  return cells.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
