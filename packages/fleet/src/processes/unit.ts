import type { RestartPolicy } from '@fleet/contract'
import { processUnitName } from '#/agents/api.ts'
import { applicationPathOf, environmentLinesOf, environmentPathOf, isProduction } from '#/instances/api.ts'
import { SYSTEM_PATH, unitWord, withoutSpecifiers, withOwnEnvironment } from '#/managed-services/api.ts'
import { hasValues, valuesPathOf } from '#/processes/connections/file.ts'
import type { ReadyProcess } from '#/processes/connections/values.ts'
import { markerOf } from '#/processes/marker.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { commandOf } from '#/processes/rules.ts'

/** The unit of a Process (PROC-009). */
export const unitNameOf = (process: Pick<ProcessRecord, 'id' | 'name'>): string =>
  `${processUnitName(process)}.service`

/** The unit or container of a Process, by its full name. */
export const artifactNameOf = (process: Pick<ProcessRecord, 'id' | 'name' | 'runtime'>): string =>
  process.runtime === 'systemd' ? unitNameOf(process) : processUnitName(process)

/** Where a container works by default (PROC-022). */
const CONTAINER_DIRECTORY = '/app'
/** systemd's own word for the home of the account. */
const HOME = '~'
/** Seconds in which a command may end after SIGTERM, and after which one that ended starts again. */
export const STOP_SECONDS = 30
const RESTART_SECONDS = 2

/** Where a Process works: as asked for, else the application directory or the home of its account (PROC-022, PRJ-020). */
export function workingDirectoryOf({
  working_directory,
  runtime,
  owner,
  account,
  node,
}: ProcessRecord): string {
  if (working_directory !== null) return working_directory
  if (runtime === 'docker') return CONTAINER_DIRECTORY
  if (owner.instance) return applicationPathOf(owner.instance)
  return account === null ? node.user_home : HOME
}

const accountOf = ({ account, owner, node }: ProcessRecord): string =>
  account ?? owner.instance?.production_user ?? node.user

/** A production user may change the `.env`, and reads it by itself; its connections win. */
function startOf(process: ReadyProcess): readonly string[] {
  const { owner, runtime_config, values } = process
  const command = commandOf(runtime_config, owner)
  if (!owner.instance || !isProduction(owner.instance)) return command
  const kept = [...values.set.map((entry) => entry.slice(0, entry.indexOf('='))), ...values.unset]
  return withOwnEnvironment(environmentPathOf(owner.instance), kept, command)
}

/** PROC-033, PROC-034. `domain` is that of the Instance's own Route. */
export function variablesOf(process: ProcessRecord, domain: string | undefined): ReadonlyMap<string, string> {
  const { owner, account, node } = process
  const home = account === null ? `${owner.instance?.production_home ?? node.user_home}/.local/bin:` : ''
  const variables = new Map([
    ['PATH', `${home}${SYSTEM_PATH}`],
    ['NODE_USE_SYSTEM_CA', '1'],
  ])
  const port = owner.instance?.vite_port ?? null
  if (process.environment === 'production' || port === null) return variables
  variables.set('FLEET_DEV_SERVER_PORT', String(port))
  if (domain === undefined) return variables
  variables.set('FLEET_DEV_SERVER_HOST', domain)
  variables.set('FLEET_DEV_SERVER_PATH', '/__fleet/vite')
  variables.set('FLEET_DEV_SERVER_ORIGIN', `https://${domain}/__fleet/vite`)
  return variables
}

const RESTART = {
  never: 'no',
  'on-failure': 'on-failure',
  always: 'always',
  'unless-stopped': 'always',
} as const satisfies Record<RestartPolicy, string>

/** Of its connections. What they leave out it does not get from elsewhere either, such as the `.env` of its Instance. */
const connectionLines = (process: ReadyProcess): readonly string[] =>
  hasValues(process)
    ? [
        `EnvironmentFile=${valuesPathOf(process.id)}`,
        ...process.values.unset.map((name) => `UnsetEnvironment=${name}`),
      ]
    : []

/** The unit file of a systemd Process, from its record and the domain of its Instance. */
export function renderUnit(process: ReadyProcess, domain: string | undefined): string {
  return [
    '# Written by Fleet. Changes made here are replaced.',
    markerOf(process.id),
    '[Unit]',
    `Description=Fleet Process ${process.name}`,
    'After=network-online.target',
    // A command that ends at once is tried for ever, as its policy says; Doctor names the loop.
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    // `exec`: a program that cannot run fails its start instead of the time after it.
    'Type=exec',
    `User=${accountOf(process)}`,
    `WorkingDirectory=${withoutSpecifiers(workingDirectoryOf(process))}`,
    ...[...variablesOf(process, domain)].map(
      ([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`,
    ),
    ...environmentLinesOf(process.owner.instance),
    // The last file wins.
    ...connectionLines(process),
    // `:` leaves every `$` as it is.
    `ExecStart=:${startOf(process).map(unitWord).join(' ')}`,
    `Restart=${RESTART[process.restart_policy]}`,
    `RestartSec=${RESTART_SECONDS}`,
    `TimeoutStopSec=${STOP_SECONDS}`,
    'CPUAccounting=yes',
    'MemoryAccounting=yes',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n')
}
