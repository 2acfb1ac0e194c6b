import type { UnitReport } from '@fleet/contract'
import { CodedError, maskText, type Secret } from '@fleet/kernel'
import type { Answer } from '@fleet/shell'
import type { HookReport } from '#/managed-services/declaration.ts'
import { textOf } from '#/managed-services/plan.ts'

const MAX_LINES = 12
const MAX_LINE_CHARACTERS = 240
/** A shorter value would mask words that are no secrets. */
const MIN_SECRET_CHARACTERS = 6

/**
 * Which unit is to blame and what it said last, of the fields of `report.sh`, for the details of an error and for Doctor (0116):
 * at most 12 lines of 240 characters. Undefined when there are none.
 */
export function troubleOf(
  answer: Pick<Answer, 'get'>,
  secrets: ReadonlyArray<string | Secret> = [],
): UnitReport | undefined {
  const text = (name: string): string => answer.get(name)?.toString('utf8') ?? ''
  const unit = text('unit')
  if (!/^[\w@.:\\*-]{1,128}$/.test(unit)) return undefined
  const journal = text('journal').split('\n').map(maskWith(secrets)).map(printable).filter(Boolean)
  return { unit, state: stateOf(text('state')), journal: journal.slice(-MAX_LINES) }
}

/** What a hook says of its failure; undefined when it named no stage. */
export function hookReportOf(
  answer: Pick<Answer, 'get'>,
  secrets: ReadonlyArray<string | Secret> = [],
): HookReport | undefined {
  const stage = answer.get('stage')?.toString('utf8') ?? ''
  if (!/^[a-z-]{1,40}$/.test(stage)) return undefined
  const lines = (answer.get('message')?.toString('utf8') ?? '').split('\n')
  return { stage, message: lines.map(maskWith(secrets)).map(plain).filter(Boolean).join('\n') }
}

/** What systemd says in `Name=value` pairs, in words of its own that are known to be harmless. */
function stateOf(text: string): string {
  const values = new Map(
    [...text.matchAll(/(\w+)=([\w-]{0,40})/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const word = (name: string): string => values.get(name) ?? ''
  const state =
    word('SubState') === '' ? word('ActiveState') : activity(word('ActiveState'), word('SubState'))
  if (state === '') return 'unknown'
  const status = Number(word('ExecMainStatus'))
  const result = [
    ...(['', 'success'].includes(word('Result')) ? [] : [word('Result')]),
    ...(status > 0 ? [`status ${status}`] : []),
  ]
  return result.length === 0 ? state : `${state} (${result.join(', ')})`
}

const activity = (active: string, sub: string): string => (active === sub ? active : `${active} ${sub}`)

const maskWith =
  (secrets: ReadonlyArray<string | Secret>) =>
  (line: string): string => {
    const lines = secrets.flatMap((secret) => textOf(secret).split('\n'))
    const values = lines.filter(({ length }) => length >= MIN_SECRET_CHARACTERS)
    return maskText(values.reduce((masked, value) => masked.replaceAll(value, '[REDACTED]'), line))
  }

/** One line of a terminal: no escape sequence gets through. */
function printable(line: string): string {
  const text = plain(line)
  return text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS - 1)}…` : text
}

const plain = (line: string): string => line.replaceAll(/\p{Cc}|\p{Cf}|\uFFFD/gu, ' ').trim()

/** Facts about a unit, for the details of its error. */
export function unitDetailsOf(error: unknown): Partial<UnitReport> {
  if (!(error instanceof CodedError)) return {}
  const { unit, state, journal } = error.details ?? {}
  if (typeof unit !== 'string' || typeof state !== 'string' || !Array.isArray(journal)) return {}
  return { unit, state, journal: journal.filter((line) => typeof line === 'string') }
}
