import type { Readable } from 'node:stream'
import { type ErrorCode, errorRegistry, fail } from '@fleet/contract'
import type { CodedError, Details, Secret } from '@fleet/kernel'
import {
  Answer,
  type Command,
  MalformedOutput,
  script,
  shownAs,
  shownScript,
  startedBy,
  type Word,
  withPayload,
  withStdin,
} from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import { identityOf } from '#/nodes/present.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import { fullOf, sayingFull } from '#/nodes/session/full.ts'

/** An error code, or one with a message or details of its own. */
export type ReasonCode =
  | ErrorCode
  | readonly [code: ErrorCode, message: string]
  | { readonly code: ErrorCode; readonly message?: string; readonly details?: Details }

/** Details besides the reason, and a message in the place of that of the reason. */
export interface MoreOfRefusal {
  readonly message: string
  readonly details: Details
}

/** The code of each reason with which a script may `refuse`. */
export type Reasons = Readonly<Record<string, ReasonCode>>

/**
 * A script of a Node with everything that is agreed with it: what it takes, what it answers, and what its refusals mean.
 * It prints fields and ends with 0: `refused REASON`, alone or with `more`, or what was asked for. Anything else is `broken`.
 */
export interface NodeScript<I, A> {
  /** Libraries and program, in POSIX `sh`; the first comment line names it in logs. */
  readonly source: string
  /** Root when absent; `login` is whoever the session logged in as, or was switched to. */
  readonly as?: 'root' | 'login'
  /** Words of a program that becomes the shell, such as one that takes a lock. */
  readonly starter?: (input: I) => readonly Word[]
  /** `$1`, `$2`, … No secret, although they travel on standard input. */
  readonly args?: (input: I) => readonly Word[]
  /** What logs show of the arguments; all of them when absent. */
  readonly shown?: (input: I) => readonly Word[]
  /** What the script reads: secrets, file contents. */
  readonly stdin?: (input: I) => Secret
  /** Bytes that follow it. */
  readonly payload?: (input: I) => Uint8Array
  /** 900 when absent (GW-035). */
  readonly timeoutSeconds?: number
  readonly maxOutputBytes?: number
  /** May take minutes, as what others wrote or the network decides: it leaves some channels of the Node to short work. */
  readonly isLong?: boolean
  readonly reasons: Reasons
  /** What a refusal says besides its reason, already checked; undefined where it says no more. */
  readonly more?: (answer: Answer, reason: string) => MoreOfRefusal | undefined
  /** A refusal is an answer, which `read` gets. */
  readonly readsRefusals?: boolean
  /** When the script broke off, or something else answered in its place. */
  readonly broken: ReasonCode
  /** Parses the answer once; what throws MalformedOutput is no answer. */
  readonly read: (answer: Answer, input: I) => A
}

/** What one asking changes. */
export interface AskOptions {
  /** In the place of those of the script, where the same refusal means something else. */
  readonly reasons?: Reasons
  readonly broken?: ReasonCode
  /** In the place of that of the script, where the input says how long it may take. */
  readonly timeoutSeconds?: number
  /** Clean-up may use the whole rest of the deadline, not only the forward part. */
  readonly cleanup?: boolean
  /** What the script reads after its own input, as it arrives. */
  readonly stdinFrom?: Readable
  /** Ends the script, beside the signal of the call. */
  readonly signal?: AbortSignal
}

/** Reads an answer that only says that the script came to its end: the field with `yes`. */
export const confirmed =
  (field: string) =>
  (answer: Answer): void =>
    void answer.word(field, ['yes'])

/** The script and its input as one command. */
export function commandOf<I, A>(
  { source, starter, args, shown, stdin, payload }: NodeScript<I, A>,
  input: I,
): Command {
  const whole = script(source, ...(args?.(input) ?? []))
  const plain = shown ? shownAs(whole, shownScript(source, ...shown(input))) : whole
  const started = starter ? startedBy(starter(input), plain) : plain
  const reported = stdin ? withStdin(started, stdin(input)) : started
  return payload ? withPayload(reported, payload(input)) : reported
}

/**
 * What the script answered. Throws the code of its refusal with `details.reason`, or that of a broken script, both with
 * `details.node`. Nothing that the Node printed goes further than this.
 */
export function readAnswer<I, A>(
  node: NodeRecord,
  asked: NodeScript<I, A>,
  input: I,
  { exitCode, stdout }: CommandResult,
  { reasons = asked.reasons, broken = asked.broken }: AskOptions = {},
): A {
  try {
    if (exitCode !== 0) throw new BrokenScript(exitCode)
    const answer = new Answer(stdout)
    if (asked.readsRefusals || !answer.has('refused')) return asked.read(answer, input)
    const reason = answer.text('refused')
    const code = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined
    if (code === undefined) throw new MalformedOutput('not a reason of this script')
    throw failure(code, node, { reason, more: asked.more?.(answer, reason), full: fullOf(answer) })
  } catch (error) {
    throw error instanceof MalformedOutput ? failure(broken, node, {}, error) : error
  }
}

/** The script ended with another exit status than 0, or with none. */
class BrokenScript extends MalformedOutput {
  readonly exitCode: number | null
  constructor(exitCode: number | null) {
    super('the script broke')
    this.exitCode = exitCode
  }
}

const failure = (
  reason: ReasonCode,
  node: NodeRecord,
  {
    reason: because,
    more,
    full = [],
  }: {
    readonly reason?: string
    readonly more?: MoreOfRefusal | undefined
    readonly full?: readonly string[]
  },
  cause?: MalformedOutput,
): CodedError => {
  const { code, details, ...own } = partsOf(reason)
  const said = sayingFull(more?.message ?? own.message ?? errorRegistry[code].message, node.name, full)
  return fail(code, {
    message: said.message,
    details: {
      node: identityOf(node),
      ...(because === undefined ? {} : { reason: because }),
      ...more?.details,
      ...details,
      ...said.details,
    },
    cause,
  })
}

function partsOf(reason: ReasonCode): Exclude<ReasonCode, ErrorCode | readonly unknown[]> {
  if (typeof reason === 'string') return { code: reason }
  return 'code' in reason ? reason : { code: reason[0], message: reason[1] }
}
