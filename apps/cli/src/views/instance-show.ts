import type { InstanceData, InstanceDeploymentData, ProcessData } from '@fleet/contract'
import { inline, objectsIn } from '#/print/value.ts'
import { shellWord } from '#/shell-word.ts'
import { type Paper, type Row, section, type View } from './view.ts'

interface Known {
  readonly instance: InstanceData
  readonly processes: readonly ProcessData[]
  /** Newest first. */
  readonly deployments: readonly InstanceDeploymentData[]
}

/** An Instance at a glance: where it is, what is checked out, what runs, what is deployed, and what is wrong. */
export const instanceShow: View = {
  also: ({ id }) => [
    { operation: 'process:list', members: { target_type: 'instance', target_id: id } },
    { operation: 'instance:deployments', members: { instance: id } },
  ],
  lines: (data, also, paper) => {
    const instance = data as unknown as InstanceData // The gateway answers by this declaration.
    const [processes, deployments] = Array.isArray(also) ? (also as unknown[]) : [] // Whatever they are.
    const known: Known = {
      instance,
      processes: Array.isArray(processes) ? (processes as ProcessData[]) : [], // As above, for the Processes.
      deployments: Array.isArray(deployments) ? (deployments as InstanceDeploymentData[]) : [], // As above.
    }
    return [
      headline(instance, paper),
      ...section('Place', placeRows(instance), paper),
      ...section('Source', sourceRows(instance), paper),
      ...section(
        'Processes',
        known.processes.map((process) => processRow(process, paper)),
        paper,
      ),
      ...section('Deployed', deployedRows(known, paper), paper),
      ...problemLines(known, paper),
    ]
  },
}

/** The same after a change, without further reads: what runs and what is deployed was not asked for. */
export const instanceRecord: View = { lines: (data, _also, paper) => instanceShow.lines(data, [], paper) }

/** Each Instance of a registration. */
export const instancesRegistered: View = {
  lines: async ({ instances }, _also, paper) => {
    const shown: string[] = []
    for (const instance of objectsIn(instances))
      shown.push(...(shown.length === 0 ? [] : ['']), ...(await instanceRecord.lines(instance, [], paper)))
    return shown
  },
}

function headline({ id, project, name, status, environment, url }: InstanceData, { colors }: Paper): string {
  const shown = status === 'active' ? status : colors.red(status)
  const title = `${colors.bold(inline(`${project.slug}/${name}`))} (${id})  ${shown}  ${colors.dim(environment)}`
  return url === null ? title : `${title}  ${colors.cyan(inline(url))}`
}

const placeRows = (instance: InstanceData): readonly Row[] =>
  filled([
    ['Node', `${instance.node.name} (${instance.node.id})`],
    ['checkout', instance.checkout_path],
    ['home', instance.production_home],
    ['account', instance.production_user],
    ['web root', instance.effective_root],
    ['Vite port', instance.vite_port === null ? null : String(instance.vite_port)],
    ['publication', instance.route?.publication ?? null],
  ])

const COMMIT_CHARACTERS = 12

const sourceRows = ({
  selected_branch,
  branch_override,
  starting_commit,
  detached,
  environment,
  source_instance,
  copy_mode,
  shared_databases,
  source_layout,
}: InstanceData): readonly Row[] =>
  filled([
    ['layout', source_layout === 'worktree' ? 'linked worktree of a checkout of the Project' : null],
    ['branch', detached ? 'none: the head is detached' : selected_branch],
    ['deploys branch', environment === 'production' ? branch_override : null],
    ['created at commit', starting_commit?.slice(0, COMMIT_CHARACTERS) ?? null],
    ['copied from', source_instance && copiedFrom(source_instance, copy_mode)],
    [
      'databases shared with it',
      shared_databases.map(({ slug, prefix }) => `${slug} (${prefix})`).join(', '),
    ],
  ])

const copiedFrom = (
  { id, name }: NonNullable<InstanceData['source_instance']>,
  mode: InstanceData['copy_mode'],
): string => `${name} (${id})${mode === 'reflink' ? ', sharing blocks of the disk' : ''}`

function processRow(process: ProcessData, { colors }: Paper): Row {
  const { id, name, desired_state, runtime_status, cpu, memory_bytes } = process
  const seen = runtime_status ?? 'unknown'
  const state = isWrong(process) ? colors.red(seen) : seen
  const usage = [
    cpu === null ? [] : `${(cpu * 100).toFixed(0)} % of a core`,
    memory_bytes === null ? [] : `${(memory_bytes / 1024 / 1024).toFixed(0)} MiB`,
  ].flat()
  const wanted = desired_state === 'running' ? 'should run' : 'stopped on request'
  return [inline(name), [`${id}`, inline(state), wanted, ...usage].join('  ')]
}

/** Installed, started, and ended by itself; one that may sleep while nobody visits is left to Doctor. */
const isWrong = ({ status, desired_state, runtime_status, keep_alive }: ProcessData): boolean =>
  status === 'failed' ||
  (desired_state === 'running' &&
    runtime_status !== null &&
    (ENDED.has(runtime_status) || (keep_alive && !RUNNING.has(runtime_status))))
const RUNNING: ReadonlySet<string> = new Set(['active', 'running', 'activating', 'reloading'])
/** By an error, or again and again: Docker waits before it starts one once more. As Doctor judges it. */
const ENDED: ReadonlySet<string> = new Set(['failed', 'restarting'])

function deployedRows({ deployments }: Known, { colors }: Paper): readonly Row[] {
  const [newest] = deployments
  if (!newest) return []
  const { id, status, branch, commit, release, selected_release, started_at, triggered_by } = newest
  const what = [branch, commit?.slice(0, COMMIT_CHARACTERS)].filter((part) => part).join(' ')
  const ended = status === 'failed' ? colors.red(status) : status
  const by = inline(`${what}  ${started_at}  by ${triggered_by}`)
  return [
    ...filled([['selected release', selected_release]]),
    [inline(release ?? 'last run'), `${id}  ${ended}  ${by}`],
  ]
}

/** One that nothing is left to recover of is no problem. */
function transferProblem(
  { transfer }: InstanceData,
  place: string,
  said: (code: string | null) => string,
): readonly (readonly [string, string])[] {
  if (!transfer?.recovery_evidence) return []
  const { failed_step, error_code, destination_node_id, destination_name } = transfer
  const where = failed_step === null ? 'is not finished' : `stopped at the step ${failed_step}`
  const database = transfer.recovery_evidence.sqlite_source_path
  const repeat = `fleet instance:transfer ${place} ${destination_node_id} --name ${destination_name}${
    database ? ` --sqlite-source-path ${shellWord(database)}` : ''
  }`
  return [[`Its transfer to another Node ${where}${said(error_code)}`, repeat]]
}

const CREATIONS: Readonly<Record<InstanceData['creation'], string>> = {
  repository: 'fleet instance:create',
  register: 'fleet instance:register',
  copy: 'fleet instance:create',
  clone: 'fleet instance:clone',
}

/** Only an active Instance has a setup list to run again; any other is still being created. */
function stoppedProblem(
  { status, failed_step, error_code, creation }: InstanceData,
  place: string,
  said: (code: string | null) => string,
): readonly (readonly [string, string])[] {
  if (failed_step === null) return []
  if (failed_step === 'release')
    return [
      [
        `It runs from a copy, and the directory that it was registered from is not removed yet${said(error_code)} The same request removes it.`,
        'fleet instance:register DIRECTORY',
      ],
    ]
  const stopped = `It stopped at the step ${failed_step}${said(error_code)}`
  if (status === 'active') return [[stopped, `fleet instance:setup ${place}`]]
  // The removal says itself what helps.
  if (status === 'removing') return []
  const ends =
    creation === 'register' ? 'moves the directory back to where it was' : 'removes what was created'
  const resumes = `The same \`${CREATIONS[creation]}\` resumes it; the command ${ends}.`
  return [[`${stopped} ${resumes}`, `fleet instance:destroy ${place}`]]
}

/** One that was not created completely has nothing to read the output of. */
function processProblem(
  { id, name, status, runtime_status, error_code }: ProcessData,
  said: (code: string | null) => string,
): readonly [string, string] {
  if (status === 'failed')
    return [
      `The Process ${name} was not created completely${said(error_code)} The same \`fleet process:create\` resumes it.`,
      `fleet process:destroy ${id}`,
    ]
  return [
    `The Process ${name} should run and is ${runtime_status ?? 'not installed'}${said(error_code)}`,
    `fleet process:logs ${id}`,
  ]
}

/** Each with the command that helps. */
function problemLines(
  { instance, processes, deployments }: Known,
  { colors, messageOf }: Paper,
): readonly string[] {
  const place = `${instance.project.slug}/${instance.name}`
  const said = (code: string | null): string =>
    code === null ? '.' : `. ${messageOf(code) ?? 'This client does not know the code.'} (${code})`
  const [newest] = deployments
  const problems = [
    stoppedProblem(instance, place, said),
    transferProblem(instance, place, said),
    instance.removal === null
      ? []
      : [
          [
            `Its removal ${instance.removal.status === 'failed' ? 'failed' : 'is not finished'}${said(instance.removal.error_code)}`,
            // A forced removal cannot become a normal one.
            `fleet instance:destroy ${place}${instance.removal.force ? ' --force' : ''}`,
          ],
        ],
    instance.route !== null && instance.route.status !== 'active'
      ? [
          [
            `The status of its Route is ${instance.route.status}${said(instance.route.error_code)}`,
            `fleet route:show ${instance.route.id}`,
          ],
        ]
      : [],
    processes.filter(isWrong).map((process) => processProblem(process, said)),
    newest?.status === 'failed'
      ? [
          [
            `The last deployment failed at ${newest.failed_step ?? 'its start'}${said(newest.error_code)}`,
            `fleet deployment:show ${newest.id}`,
          ],
        ]
      : [],
  ].flat()
  if (problems.length === 0) return []
  return [
    '',
    colors.red(colors.bold('Problems')),
    ...problems.flatMap(([what = '', next = '']) => [
      `  ${inline(what)}`,
      `  ${colors.dim('next')}  ${colors.cyan(inline(next))}`,
    ]),
  ]
}

/** Rows that say something, safe for a terminal. */
const filled = (rows: ReadonlyArray<readonly [string, string | null]>): readonly Row[] =>
  rows.flatMap(([name, text]): readonly Row[] =>
    text === null || text === '' || text === '.' ? [] : [[name, inline(text)]],
  )
