import { type ErrorCode, fail } from '@fleet/contract'
import type { OutputListener } from '@fleet/ssh'
import { nodeDetail } from '#/instances/checkout-session.ts'
import type { CheckoutPlace } from '#/instances/commands/checkout-script.ts'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import { resolveSource } from '#/instances/commands/resolve-source.ts'
import { commitOf, prepare } from '#/instances/steps/creation.ts'
import { type AskOptions, commandOf, type NodeSession } from '#/nodes/api.ts'
import { homePaths, INITIAL_RELEASE, type ProductionInstance } from '#/instances/production/home.ts'
import type { SourceLogin } from '#/source-host/api.ts'
import { linkEnvironment, unlinkedText } from './link-environment.ts'
import { listReleases } from './list-releases.ts'
import { runDeployStep, STEP_BUSY, STEP_DIRECTORY, STEP_TIMEOUT } from './run-deploy-step.ts'
import { selectRelease } from './select-release.ts'

export interface FoundReleases {
  readonly releases: readonly string[]
  readonly partial: readonly string[]
  readonly selected: string | undefined
}

/** What a release is made from. */
export interface Preparation {
  readonly branch: string
  readonly login: SourceLogin
  /** A release that is there. */
  readonly earlier: string | undefined
}

/** With `cleanup` it may use what the request keeps for that of its time (GW-034). */
export type Discarding = Pick<AskOptions, 'cleanup'>

/** How a command ended that prints as it runs. */
export type StepFailure = 'failed' | 'timeout' | 'missing'
/** How a step ended; its exit code where there is one. */
export type StepResult =
  | { readonly outcome: 'succeeded' }
  | { readonly outcome: StepFailure; readonly exitCode: number | null }

/** Before the id of a deletion, in the name of the folder that it empties. */
const QUARANTINE = '.fleet-removal-'

/** The releases of one production home, as its production user. */
export class Releases {
  readonly #instance: ProductionInstance
  readonly #session: NodeSession

  constructor(session: NodeSession, instance: ProductionInstance) {
    this.#instance = instance
    this.#session = session.as(instance.production_user)
  }

  /** Throws `deployment.releases_unreadable`. */
  async list(): Promise<FoundReleases> {
    const listed = await this.#session.ask(listReleases, this.#place('none'), {
      broken: 'deployment.releases_unreadable',
    })
    if (listed.word !== 'listed') throw this.#failed('deployment.releases_unreadable', listed.word)
    // The checkout of the clone is nothing that a preparation left.
    return { ...listed, partial: listed.partial.filter((name) => name !== INITIAL_RELEASE) }
  }

  /**
   * Makes the release from the latest commit of the branch, fetching what no earlier one has, and answers that commit. All of it is on
   * the disk once it is selected.
   */
  async prepare(name: string, { branch, login, earlier }: Preparation): Promise<string> {
    const checkout = { session: this.#session, project: this.#instance.project }
    const { preparation_id } = this.#instance
    await prepare(checkout, { name, checkout_path: this.#path(name), preparation_id })
    const request = {
      ...this.#place(name),
      login,
      repositoryUrl: this.#instance.project.repository_url,
      branch,
      // A branch that the origin does not have is made from no other one.
      defaultBranch: branch,
      applicationDirectory: this.#directory,
      earlier,
      isFlushedLater: true,
    }
    const answer = await this.#session.ask(resolveSource, request, { broken: 'deployment.release_failed' })
    return commitOf(checkout, { branch, login }, answer)
  }

  /** A new release is on the disk once it is selected. Throws `deployment.environment_link_failed`. */
  async linkEnvironment(name: string, { isNew }: { readonly isNew: boolean }): Promise<void> {
    const request = { ...this.#place(name), applicationDirectory: this.#directory, isNew }
    const broken = 'deployment.environment_link_failed'
    const answer = await this.#session.ask(linkEnvironment, request, { broken })
    if ('why' in answer) throw this.#failed(broken, answer.why, unlinkedText(answer))
    if (answer.word !== 'linked') throw this.#failed(broken, answer.word)
  }

  /** Throws `deployment.activation_failed`. */
  async select(name: string, { isNew }: { readonly isNew: boolean }): Promise<void> {
    const broken = 'deployment.activation_failed'
    const { word } = await this.#session.ask(selectRelease, { ...this.#place(name), isNew }, { broken })
    if (word !== 'selected') throw this.#failed(broken, word)
  }

  runStep(name: string, step: StepCommand): Promise<StepResult> {
    return runPrinting(this.#session, this.#place(name), step)
  }

  /** Deletes a release that is not selected, or what an earlier deletion left of one; what no receipt proves stays. */
  async discard(name: string, options: Discarding = {}): Promise<void> {
    // Known to every later deletion: it has the name of the release.
    const quarantineId = name.startsWith(QUARANTINE) ? name.slice(QUARANTINE.length) : name
    const { word } = await this.#session.ask(
      discardCheckout,
      { ...this.#place(name), quarantineId, mode: 'attempt' },
      { ...options, broken: 'deployment.release_failed' },
    )
    if (word !== 'gone') throw this.#failed('deployment.release_failed', word)
  }

  get #directory(): string {
    return this.#instance.profile?.applicationDirectory ?? ''
  }

  #path(name: string): string {
    return homePaths(this.#instance.production_home).release(name)
  }

  #place(name: string): CheckoutPlace {
    return { checkoutPath: this.#path(name), preparationId: this.#instance.preparation_id }
  }

  #failed(code: ErrorCode, reason: string, message?: string): Error {
    const home = this.#instance.production_home
    if (reason === 'root-missing')
      return fail(code, {
        message: `The home of the production Instance is missing on the Node: ${home}.`,
        details: { ...nodeDetail(this.#session), reason: 'home_missing', path: home },
      })
    const details = { ...nodeDetail(this.#session), reason }
    return fail(code, message === undefined ? { details } : { message, details })
  }
}

export interface StepCommand {
  /** Text for `bash -eu`; never shown. */
  readonly command: string
  readonly limitSeconds: number
  readonly onOutput: OutputListener
}

/** Above the limit of a step: the wait for an earlier script, and its report. */
const GRACE_SECONDS = 20

/**
 * Runs a command whose output is passed on as it comes. Throws `instance.source_failed`, `instance.lifecycle_busy` and what the
 * Node's shell throws.
 */
export async function runPrinting(
  session: NodeSession,
  place: CheckoutPlace,
  { command, limitSeconds, onOutput }: StepCommand,
): Promise<StepResult> {
  const { exitCode } = await session.run(commandOf(runDeployStep, { ...place, command, limitSeconds }), {
    timeoutSeconds: limitSeconds + GRACE_SECONDS,
    isLong: true,
    onOutput,
    controlGroup: `fleet-deploy-${place.preparationId}.scope`,
  })
  if (exitCode === 0) return { outcome: 'succeeded' }
  if (exitCode === STEP_DIRECTORY)
    throw fail('instance.source_failed', { details: { ...nodeDetail(session), step: 'directory' } })
  if (exitCode === STEP_BUSY)
    throw fail('instance.lifecycle_busy', { details: { ...nodeDetail(session), outcome: 'busy' } })
  if (exitCode === STEP_TIMEOUT) return { outcome: 'timeout', exitCode: null }
  return { outcome: exitCode === 126 || exitCode === 127 ? 'missing' : 'failed', exitCode }
}
