import type { DoctorCode, DoctorFamily, UnitReport } from '@fleet/contract'
import type { Word } from '@fleet/shell'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/session/session.ts'
import type { NodeRecord } from '#/nodes/record.ts'

/** What an issue is about. `id` is null for what has no record. */
export interface CheckedResource {
  readonly type: string
  readonly id: number | string | null
  readonly name: string
}

/** Words and numbers of Fleet's own, made from what was parsed: never text that a machine printed, a path or a URL (DRF-014). */
export interface Finding {
  readonly expected: string | null
  readonly observed: string | null
  /** Another Node that has to be repaired. */
  readonly relatedNodeId?: number | undefined
  /** Repository-relative directory that the issue is about; its summary names it. */
  readonly directory?: string
  /** The unit that does not run, and why; masked by whoever read it. */
  readonly service?: UnitReport | undefined
}

/** The check could not be made; reported once per resource as `<family>.inspection_failed` with this word as observed. */
export interface Unverifiable {
  readonly unverifiable: string
}

/** Undefined: as it should be. */
export type Verdict = Finding | Unverifiable | undefined

/**
 * One thing to ask a machine. All questions of all families go to a Node together, in one script, as root; the same
 * object is asked once however many checks read its answer. `source` is a constant in POSIX `sh`, run in a subshell of its
 * own with `$1`… from `args`, no standard input and `LC_ALL=C`; it changes nothing. What may hang is run by `timeout 5 …`; a question
 * that hangs all the same is ended (decision 0331).
 */
export interface Question<T> {
  readonly source: string
  readonly args?: readonly Word[]
  /** Parses what was printed; undefined when it is no answer, which makes the check unverifiable. */
  read(answer: PrintedAnswer): T | undefined
}

export interface PrintedAnswer {
  readonly exitCode: number
  /** Standard output without its last newline. Standard error is dropped. */
  readonly text: string
}

/** Reads records only: it is made for a Node that does not answer too (DRF-013). */
export interface StoredCheck {
  readonly kind: 'stored'
  readonly code: DoctorCode
  readonly resource: CheckedResource
  judge(): Verdict | Promise<Verdict>
}

/** Reads the answer of one question. */
export interface AskedCheck {
  readonly kind: 'asked'
  readonly code: DoctorCode
  readonly resource: CheckedResource
  readonly question: Question<unknown>
  /** Of what `question.read` made. */
  judge(answer: unknown): Verdict | Promise<Verdict>
}

/** Needs ways of its own, such as a socket or another machine. Connection trouble of the session may be thrown on. */
export interface DrivenCheck {
  readonly kind: 'driven'
  readonly code: DoctorCode
  readonly resource: CheckedResource
  judge(session: NodeSession): Promise<Verdict>
}

export type Check = StoredCheck | AskedCheck | DrivenCheck

/**
 * The checks of one family, or a part of them: several domains may add to one family (agents to `node`). Reads records
 * and returns one check for each code and resource, resources by id; no checks for a Node that has nothing of the family.
 */
export interface FamilyChecks {
  readonly family: DoctorFamily
  checksOf(call: Call, node: NodeRecord): Promise<readonly Check[]>
}

/** A check of records alone. */
export const stored = (
  code: DoctorCode,
  resource: CheckedResource,
  judge: StoredCheck['judge'],
): StoredCheck => ({ kind: 'stored', code, resource, judge })

/** A check of one answer, with the type that its question reads. */
export const asked = <T>(
  code: DoctorCode,
  resource: CheckedResource,
  question: Question<T>,
  judge: (answer: T) => Verdict | Promise<Verdict>,
): AskedCheck => ({
  kind: 'asked',
  code,
  resource,
  question,
  judge: (answer) => judge(answer as T), // Doctor passes what this very question has read.
})

/** A check that goes its own way to the machine. */
export const driven = (
  code: DoctorCode,
  resource: CheckedResource,
  judge: DrivenCheck['judge'],
): DrivenCheck => ({ kind: 'driven', code, resource, judge })

/** Where a record is to have this status; one that is gone has none to differ. */
export const statusDiffers = (
  expected: string,
  row: { readonly status: string } | undefined,
): Finding | undefined => row && differs(expected, row.status)

/** A finding where the two differ. */
export const differs = (expected: string, observed: string): Finding | undefined =>
  expected === observed ? undefined : { expected, observed }

export const nodeResource = (node: NodeRecord): CheckedResource => ({
  type: 'node',
  id: node.id,
  name: node.name,
})
