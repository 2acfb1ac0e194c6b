import type { DeploymentDetailData, DeploymentLine } from '@fleet/contract'
import { recordedResult } from '#/deployments/recorded-result.ts'
import { deploymentSteps } from '#/next/deployments.ts'
import { nextStepsOf } from '#/next/reasons.ts'
import { filledIn } from '#/next/typed.ts'
import { oneLine } from '#/print/text.ts'
import { inline } from '#/print/value.ts'
import { phaseLines } from './deployment-phases.ts'
import { elapsedTimes } from './elapsed.ts'
import { type Paper, type Row, section, type StreamText, type View } from './view.ts'

type Output = Extract<DeploymentLine, { type: 'output' }>
type Result = Extract<DeploymentLine, { type: 'result' }>

/** What is known of a run besides its lines. */
interface Known {
  /** The command that helps after a failure; where the run is followed, that is the one that shows it. */
  readonly again?: string | undefined
  /** As it may be typed. */
  readonly instance?: string | undefined
}

/** By the code of the failure, where a next step says more than the command that shows the run. */
const MENDING: Readonly<Record<string, string>> = {
  'deployment.source_dirty': deploymentSteps['deployment.source_dirty'],
  'deployment.step_timeout': deploymentSteps['deployment.step_timeout'],
  'deployment.step_unavailable': deploymentSteps['deployment.step_unavailable'],
  'deployment.environment_link_failed': deploymentSteps['deployment.environment_link_failed'],
  'app-prod.web_root_invalid':
    'Push a commit without what the output names, or with the web root that it lacks: fleet route:list shows those that are served. Then fleet instance:deploy INSTANCE',
  'app-prod.php_version_unsupported':
    'Push a commit whose composer.json accepts a version of PHP that the output lists. Then fleet instance:deploy INSTANCE',
}

/** A deployment or rollback while it runs: each phase and step with its time, and what the steps print. */
export class DeploymentText implements StreamText {
  readonly #paper: Paper
  readonly #unfinished = new Map<Output['stream'], string>()
  readonly #elapsed = elapsedTimes()
  #sequence = 0
  #step: string | null = null
  readonly #known: Known

  constructor(paper: Paper, known: Known = {}) {
    this.#paper = paper
    this.#known = known
  }

  line(data: unknown): readonly string[] {
    const line = data as DeploymentLine // The gateway answers by this declaration.
    const seconds = this.#elapsed(line.at) / 1000
    const gap = this.#gapBefore(line)
    if (line.type === 'output') return [...gap, ...this.#printed(line)]
    const rest = [...gap, ...this.#rest()]
    const { bold, dim } = this.#paper.colors
    if (line.type === 'result') return [...rest, ...this.#ended(line, seconds)]
    this.#step = line.step_name
    const phase = line.phase.replaceAll('_', ' ')
    const what = line.step_name === null ? bold(phase) : `${inline(line.step_name)}  ${dim(phase)}`
    return [...rest, `${dim(`${seconds.toFixed(1).padStart(6)} s`)}  ${what}`]
  }

  /** What came without the end of its line when the stream broke off. */
  end(): readonly string[] {
    return this.#rest()
  }

  /** Nothing is left out without a word: a client that reads slowly misses lines, and a record keeps the last ones. */
  #gapBefore({ sequence, deployment_id: id }: DeploymentLine): readonly string[] {
    const isGap = sequence > this.#sequence + 1
    this.#sequence = sequence
    if (!isGap) return []
    const { dim } = this.#paper.colors
    const said =
      this.#known.again !== undefined || id === null
        ? 'Earlier output is not kept.'
        : `Output is left out here. The last of it: fleet deployment:show ${id}`
    return [...this.#rest(), `${indented('…')} ${dim(said)}`]
  }

  /** Whole lines: a piece may end in the middle of one. */
  #printed({ stream, data_base64 }: Output): readonly string[] {
    const text = (this.#unfinished.get(stream) ?? '') + Buffer.from(data_base64, 'base64').toString('utf8')
    const lines = text.split('\n')
    this.#unfinished.set(stream, lines.pop() ?? '')
    return lines.map((line) => indented(line))
  }

  #rest(): readonly string[] {
    const rest = [...this.#unfinished.values()].filter((text) => text !== '')
    this.#unfinished.clear()
    return rest.map((line) => indented(line))
  }

  #ended(result: Result, seconds: number): readonly string[] {
    const { red, bold, dim, cyan } = this.#paper.colors
    const took = dim(`${seconds.toFixed(1)} s`)
    const { deployment_id: id, selected_release: release } = result
    const serving = release === null ? [] : [`${dim('serves')}  ${inline(release)}`]
    if (result.status === 'succeeded') return [`${bold('Succeeded')}  ${took}`, ...serving]
    const said = result.error_code === null ? undefined : this.#paper.messageOf(result.error_code)
    const step = this.#step === null ? '' : ` in the step ${inline(this.#step)}`
    const where = result.failed_step === null ? '' : ` at ${result.failed_step.replaceAll('_', ' ')}${step}`
    const next = this.#known.again ?? (id === null ? undefined : `fleet deployment:show ${id}`)
    return [
      // Nothing was recorded, so nothing has begun.
      id === null ? red('Refused') : `${red(`Failed${where}`)}  ${took}`,
      ...(result.error_code === null
        ? []
        : [[said, `(${inline(result.error_code)})`].filter(Boolean).join(' ')]),
      ...serving,
      ...[this.#mending(result.error_code), next].flatMap((text) =>
        text === undefined ? [] : [`${dim('next')}  ${cyan(text)}`],
      ),
    ]
  }

  /** What mends the failure, with the names that are known here. */
  #mending(code: string | null): string | undefined {
    if (code === null) return undefined
    const step = Object.hasOwn(MENDING, code) ? MENDING[code] : nextStepsOf['instance:deploy']?.[code]
    if (step === undefined) return undefined
    return filledIn(step, {
      INSTANCE: this.#known.instance ?? '',
      STEP: inline(this.#step ?? ''),
    })
  }
}

const indented = (line: string): string => `          ${oneLine(line.replace(/\r$/, ''))}`.trimEnd()

/** A deployment that is over, or as far as it is: its facts, and its run as it was seen. */
export const deploymentShow: View = {
  lines: (data, _also, paper) => {
    const deployment = data as unknown as DeploymentDetailData // The gateway answers by this declaration.
    const isRollback = deployment.events.some((line) => line.type === 'phase' && line.phase === 'rollback')
    const again = `fleet instance:${isRollback ? 'rollback' : 'deploy'} ${deployment.instance_id}`
    const text = new DeploymentText(paper, { again, instance: String(deployment.instance_id) })
    const { bold, red } = paper.colors
    const status = deployment.status === 'failed' ? red(deployment.status) : deployment.status
    const ended = recordedResult(deployment)
    const run = ended ? [...deployment.events, ended] : deployment.events
    return [
      `${bold(`Deployment ${deployment.id}`)}  ${status}  Instance ${deployment.instance_id}`,
      ...section('Source', factsOf(deployment), paper),
      ...titled('Phases', phaseLines(deployment, paper), paper),
      '',
      bold('Run'),
      ...run.flatMap((line) => text.line(line)),
      ...text.end(),
      ...(deployment.status === 'running'
        ? [
            `${paper.colors.dim('next')}  ${paper.colors.cyan(`fleet deployment:show ${deployment.id} --follow`)}`,
          ]
        : []),
    ]
  },
}

const titled = (title: string, lines: readonly string[], { colors }: Paper): readonly string[] =>
  lines.length === 0 ? [] : ['', colors.bold(title), ...lines]

const factsOf = (deployment: DeploymentDetailData): readonly Row[] =>
  (
    [
      ['branch', deployment.branch],
      ['commit', deployment.commit],
      ['release', deployment.release],
      ['started', deployment.started_at],
      ['by', deployment.triggered_by],
    ] as const
  ).flatMap(([name, value]): readonly Row[] => (value === null ? [] : [[name, inline(value)]]))
