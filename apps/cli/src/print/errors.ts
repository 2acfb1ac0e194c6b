import { AnswerError, ApiError, InputError, UnreachableError } from '@fleet/sdk/core'
import { ClientError, EXIT, type ExitCode } from '#/exit.ts'
import { certificateFault } from '#/gateway/certificate-fault.ts'
import {
  type NextSteps,
  nextByCapability,
  nextByGitReason,
  nextByReason,
  nextSteps,
  nextStepsOf,
} from '#/next/index.ts'
import { AGAIN } from '#/next/words.ts'
import { filledIn, namedWords, requiredWords, type Typed } from '#/next/typed.ts'
import type { Colors, Terminal } from '#/terminal.ts'
import { foldAll } from './fold.ts'
import { oneLine, printable } from './text.ts'
import { inline, isObject, type Json } from './value.ts'

export interface FailureContext {
  /** Command that failed, when it is known. */
  readonly command: string | undefined
  readonly json: boolean
  /** Where the request went, for errors without an answer. */
  readonly target: string | undefined
  /** The profile that was named on the command line. */
  readonly gateway?: string | undefined
  /** The change that the command sent last; undefined where it only read. */
  readonly change?: LastChange | undefined
  /** The whole form of the command, for a command line that does not fit it. */
  readonly usage?: string | undefined
  /** The details with records by name. */
  readonly details?: Json | undefined
  /** What was typed for each placeholder that a next step may name. */
  readonly typed?: Typed | undefined
}

export interface LastChange {
  /** Id of its request. */
  readonly id: string
  /** What becomes of it without this client, where that is known. */
  readonly interrupted?: string
  /** The same command again goes on where it stopped. */
  readonly resumes?: boolean
}

/** What is said about an error, and how the command ends. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly details: Json | undefined
  readonly requestId: string | undefined
  readonly usage?: string | undefined
  readonly next: string | undefined
  readonly exit: ExitCode
  /** The answer of the gateway letter by letter. */
  readonly text: string | undefined
}

/** Prints the error on standard error, as JSON when the answer was asked for as JSON, and returns the exit status. */
export function printFailure(error: unknown, context: FailureContext, terminal: Terminal): ExitCode {
  const failure = failureOf(error, context)
  const shown = { ...failure, details: context.details ?? failure.details }
  terminal.err(
    context.json
      ? jsonText(failure)
      : foldAll(failureLines(shown, terminal), terminal.errColumns, ({ length }) => length)
          .map((line) => `${line}\n`)
          .join(''),
  )
  return failure.exit
}

/** Sorts an error by what a person can do about it. Anything unknown is a bug of this client and is thrown again. */
export function failureOf(error: unknown, context: FailureContext): Failure {
  const { command, typed, usage } = context
  const bare = { details: undefined, requestId: undefined, text: undefined }
  if (error instanceof ApiError) {
    const { code, message, details, requestId, text } = error
    const words = { ...namedWords(details), ...typed, ...requiredWords(code, details) }
    const next = filledIn(nextStep(error, command), words)
    return { code, message, details, requestId, text, next, exit: EXIT.refused }
  }
  if (error instanceof ClientError)
    return {
      ...bare,
      code: error.code,
      message: error.message,
      usage: error.code === 'usage' && error.next === undefined ? usage : undefined,
      next: error.next ?? usageNext(error, command),
      exit: error.exit,
    }
  if (error instanceof InputError)
    return {
      ...bare,
      code: 'usage',
      message: `${error.message}.`,
      usage,
      next: helpOf(command),
      exit: EXIT.usage,
    }
  if (error instanceof UnreachableError)
    return { ...bare, ...unreachable(error, context), requestId: error.requestId, exit: EXIT.unreachable }
  if (error instanceof AnswerError)
    return {
      ...bare,
      code: 'gateway.unreachable',
      message: error.message,
      requestId: error.requestId,
      next: error.isCutOff ? afterLoss(error, context) : undefined,
      exit: EXIT.unreachable,
    }
  throw error
}

const ADVICE = {
  repeat: 'Run the same command again: it resumes where it stopped.',
  wait: 'Wait a moment, then run the same command again.',
} as const

/** Their details name the code that stopped them as `cause`. */
const TRANSFER = /^instance\.transfer_(?:failed|cleanup_incomplete)$/

const SAME = /run the same command again(?:: it resumes where it stopped)?/
const AFRESH = 'fleet route:destroy DOMAIN, then run the same command again'

/** The same command alone would answer the failed Route and resume nothing (RTE-049, RTE-055, RTE-058). */
function startedAfresh(step: string | undefined): string {
  if (step === undefined) return `${AFRESH}.`
  return SAME.test(step) ? step.replace(SAME, AFRESH) : `${step.replace(/\.$/, '')}. Then ${AFRESH}.`
}

/** What stopped a transfer is mended for its sake: the same request finishes it. */
const thenAgain = (step: string): string =>
  step.includes('same command') ? step : `${step.replace(/\.$/, '')}. ${AGAIN}`

/** Every refusal says what to do next; where nothing else is known, where to read on. */
function nextStep(error: ApiError, command: string | undefined): string {
  const { retry, details } = error
  const known = knownStep(error, command)
  if (typeof details?.['failed_route_id'] === 'number') return startedAfresh(known)
  if (known !== undefined) return known
  return retry === 'repeat' || retry === 'wait' ? ADVICE[retry] : helpOf(command)
}

/** What helps with this very error; undefined where nothing is known of it. */
export function knownStep(
  { code, message, details }: Pick<ApiError, 'code' | 'message' | 'details'>,
  command: string | undefined,
): string | undefined {
  const { git_reason: gitReason, capability } = details ?? {}
  const reason = details?.['reason'] ?? reasonIn(details?.['journal'])
  // What made a step fail says more than which step it was.
  const cause = details?.['error_code'] ?? (TRANSFER.test(code) ? details?.['cause'] : undefined)
  const own = nextStepsOf[command ?? '']
  const ofCause = typeof cause === 'string' && cause !== code ? stepFor(cause) : undefined
  return (
    (typeof cause === 'string' ? own?.[cause] : undefined) ??
    completeCommandIn(message) ??
    own?.[code] ??
    (typeof gitReason === 'string' ? nextByGitReason[gitReason] : undefined) ??
    (typeof reason === 'string' ? nextByReason[reason] : undefined) ??
    (typeof capability === 'string' ? nextByCapability[capability] : undefined) ??
    (TRANSFER.test(code) && ofCause !== undefined ? thenAgain(ofCause) : ofCause) ??
    stepFor(code)
  )
}

/** Why a service did not start, by what it said last. */
const reasonIn = (journal: unknown): string | undefined =>
  Array.isArray(journal) && journal.some((line) => /address already in use/i.test(String(line)))
    ? 'address_in_use'
    : undefined

/** A message that names a command with its arguments says what helps in this very case. */
const completeCommandIn = (message: string): string | undefined =>
  /`(fleet [a-z-]+(?::[a-z-]+)+ [^`A-Z<]+)`/.exec(message)?.[1]

/** A gateway of a later release may answer codes that this client does not know. */
const stepFor = (code: string): string | undefined => nextSteps[code as keyof NextSteps] // as: see above.

/** Help explains how to write a command, which a person who answered no already knows. */
const usageNext = ({ code, exit }: ClientError, command: string | undefined): string | undefined =>
  exit === EXIT.usage && code !== 'input.cancelled' ? helpOf(command) : undefined
const helpOf = (command: string | undefined): string =>
  command === undefined ? 'fleet help' : `fleet help ${command}`

function unreachable(
  error: UnreachableError,
  context: FailureContext,
): Pick<Failure, 'code' | 'message' | 'next'> {
  const { message, cause, timedOut } = error
  const { target, gateway } = context
  const reason = errorCode(cause)
  const where = target === undefined ? '' : ` (${target})`
  if (timedOut)
    return { code: 'gateway.unreachable', message: message + where, next: afterLoss(error, context) }
  if (LOST.test(reason))
    return {
      code: 'gateway.unreachable',
      message: `The connection to the gateway${where} ended before the answer: ${reason}.`,
      next: afterLoss(error, context),
    }
  const fault = certificateFault(cause)
  if (fault)
    return {
      code: 'gateway.ca_verification_failed',
      message: `The certificate of the gateway${where} ${fault.is}.`,
      next: fault.next,
    }
  if (/CERT|SIGNED|SIGNATURE|VERIFY/.test(reason)) {
    return {
      code: 'gateway.ca_verification_failed',
      message: `The server has no certificate signed by the trusted root${where}: ${reason}.`,
      next: `If the root certificate of the fleet was renewed: fleet gateway:trust ${gateway === undefined ? '' : `${gateway} `}--accept-change`,
    }
  }
  return {
    code: 'gateway.unreachable',
    message: `${message.replace(/\.$/, '')}${where}: ${reason}.`,
    next: NETWORK[reason],
  }
}

/** The request may have arrived before the connection ended. */
const LOST = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ERR_HTTP2_\w+|ERR_STREAM_PREMATURE_CLOSE)$/

/** What to do when no answer came, or not the whole of it: most commands would do their work twice. */
function afterLoss(
  { requestId }: { readonly requestId: string },
  { change }: Pick<FailureContext, 'change'>,
): string {
  if (change === undefined) return 'Nothing was changed. Run the command again.'
  if (change.interrupted !== undefined) return change.interrupted
  const shows = `fleet activity:list --request-id ${change.id} shows`
  if (change.id !== requestId) return `${shows} what became of the change that was sent before.`
  const again = change.resumes === true ? 'resumes what was interrupted' : 'may do it once more'
  return `The outcome is unknown: the work may have been done, or still be running. ${shows} it; the same command again ${again}.`
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing is listening there. On the machine of the gateway: systemctl status fleet-gateway',
  EADDRNOTAVAIL: 'The source address is not one of this machine. Check --from and FLEET_SOURCE_ADDRESS.',
  EINVAL: 'The gateway cannot be reached from this source address. Check --from and FLEET_SOURCE_ADDRESS.',
  ENOTFOUND: 'The name cannot be resolved. Is the tunnel up?',
  ETIMEDOUT: 'Is the tunnel up?',
  EHOSTUNREACH: 'Is the tunnel up?',
  ENETUNREACH: 'Is the tunnel up?',
}

const errorCode = (cause: unknown): string => {
  if (!(cause instanceof Error)) return 'no connection'
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}

function jsonText({ code, message, requestId, text }: Failure): string {
  if (text !== undefined) return `${text.trimEnd()}\n`
  return `${JSON.stringify({ error: { code, message, ...(requestId === undefined ? {} : { request_id: requestId }) } })}\n`
}

function failureLines(
  { code, message, details, requestId, usage, next }: Failure,
  { errColors }: Terminal,
): readonly string[] {
  const facts = [
    ...detailFacts(details ?? {}),
    ...(requestId === undefined ? [] : [['request', requestId] as const]),
    ...(usage === undefined ? [] : [['usage', usage] as const]),
    ...(next === undefined ? [] : [['next', next] as const]),
  ]
  const head =
    code === 'usage'
      ? errColors.red(printable(message))
      : `${errColors.red(errColors.bold(oneLine(code)))}  ${printable(message)}`
  return [head, ...factLines(facts, errColors)]
}

export type Fact = readonly [name: string, text: string]

/** Below an error: each fact on a line, the command that helps in its colour. */
export function factLines(facts: readonly Fact[], { dim, cyan }: Colors): readonly string[] {
  const width = Math.max(0, ...facts.map(([name]) => name.length))
  return facts.map(
    ([name, text]) =>
      `  ${dim(name.padEnd(width))}  ${name === 'next' ? cyan(oneLine(text)) : oneLine(text)}`,
  )
}

/** The details of an error, each by its name. */
export function detailFacts({ errors, ...details }: Json): readonly Fact[] {
  const rules = isObject(errors)
    ? Object.entries(errors).map(([member, texts]): Fact => [oneLine(member), inline(texts)])
    : []
  return [
    ...rules,
    ...Object.entries(details).flatMap(([name, value]): readonly Fact[] =>
      LINES.includes(name) && Array.isArray(value)
        ? value.map((line, at): Fact => [at === 0 ? name : '', inline(line)])
        : [[oneLine(name), holderText(value) ?? inline(value)]],
    ),
  ]
}

/** Lists of texts of which each is a line. */
const LINES = ['journal', 'follow_up']

/** Who holds a lock, and since when. */
function holderText(value: unknown): string | undefined {
  if (!isObject(value) || typeof value['operation'] !== 'string') return undefined
  const since = typeof value['since'] === 'string' ? ` since ${oneLine(value['since'])}` : ''
  return oneLine(value['operation']) + since
}
