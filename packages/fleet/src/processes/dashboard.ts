import { posix } from 'node:path'
import { makeJoin } from '#/processes/find.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { listRows } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { workingDirectoryOf } from '#/processes/unit.ts'

/** A Process that runs the queue dashboard of its Instance, and how the application of that dashboard is run. */
export interface Dashboard {
  readonly processId: number
  /** Folder of the application. */
  readonly directory: string
  /** Who runs it; undefined for the managed user of the Node. */
  readonly user: string | undefined
  /** PHP, with the options that it has in the Process. */
  readonly php: readonly string[]
}

/** The first by id; undefined for an Instance without one (INS-125, decision 0227). */
export async function dashboardOf(
  deps: Pick<ProcessesDeps, 'store' | 'instances' | 'nodes'>,
  instanceId: number,
): Promise<Dashboard | undefined> {
  const join = makeJoin(deps)
  for (const row of await listRows(deps.store.db, { type: 'instance', id: instanceId })) {
    const isOne = row.runtime === 'systemd' && row.status !== 'removing'
    const found = isOne ? artisanOf(row.runtime_config.command) : undefined
    const process = found && (await join(row))
    if (process) return dashboardFrom(process, found)
  }
  return undefined
}

interface Artisan {
  readonly php: readonly string[]
  readonly artisan: string
}

/** Of `PHP… [FOLDER/]artisan horizon…`; undefined for any other command. */
export function artisanOf(command: readonly string[]): Artisan | undefined {
  const at = command.findIndex((word) => posix.basename(word) === 'artisan')
  const artisan = command[at]
  if (at < 1 || artisan === undefined || command[at + 1] !== 'horizon') return undefined
  return { php: command.slice(0, at), artisan }
}

const dashboardFrom = (process: ProcessRecord, { php, artisan }: Artisan): Dashboard => ({
  processId: process.id,
  directory: posix.resolve(workingDirectoryOf(process), posix.dirname(artisan)),
  user: process.owner.instance?.production_user ?? undefined,
  php,
})
