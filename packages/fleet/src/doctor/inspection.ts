import { type Command, script, shownAs } from '@fleet/shell'
import type { PrintedAnswer, Question } from '#/nodes/api.ts'

type AnyQuestion = Question<unknown>

/** Bytes of answers. */
export interface AnswerLimits {
  /** Of one. */
  readonly each: number
  /** Of those before it and itself. */
  readonly all: number
}

/** As much for one as a Router gives of its sites (`routes/checks/view.ts`), which a Node with thousands of them does not reach. */
export const ANSWER_LIMITS: AnswerLimits = { each: 4 * 1024 * 1024, all: 16 * 1024 * 1024 }

/** An answer that is above a limit was not sent: the others are as if it had not been asked for. */
export type Inspected = PrintedAnswer | 'too_large'

/**
 * All questions as one script, so that a Node costs one round trip however much is asked. Each runs in a subshell of its
 * own; its exit code and text come back as two fields that end with NUL, which no shell variable can hold.
 */
export function inspection(
  questions: readonly AnyQuestion[],
  { each, all }: AnswerLimits = ANSWER_LIMITS,
): Command {
  let words = 0
  const asks = questions.map(({ source, args = [] }, at) => {
    const own = args.map(() => `"\${${(words += 1)}}"`)
    return `question_${at}() {\n${source}\n}\n${['ask', `question_${at}`, ...own].join(' ')}`
  })
  const limits = `each=${each} left=${all}`
  const command = script([HEAD, limits, ...asks].join('\n'), ...questions.flatMap(({ args = [] }) => args))
  return shownAs(command, `script 'inspect the machine' (${questions.length} questions)`)
}

const TOO_LARGE = 'large'
const HEAD = `# inspect the machine
LC_ALL=C
export LC_ALL
exec </dev/null 2>/dev/null
newline='
'
ask() {
  # The dot keeps the newlines that a substitution would cut off: the last field of an answer may be empty.
  answer=$( ("$@"); code=$?; printf .; exit "$code")
  code=$?
  answer=\${answer%.}
  answer=\${answer%"$newline"}
  length=\${#answer}
  if [ "$length" -gt "$each" ] || [ "$length" -gt "$left" ]; then
    printf '${TOO_LARGE}\\0\\0'
    return
  fi
  left=$((left - length))
  printf '%s\\0%s\\0' "$code" "$answer"
}`

/** The answers in the order of the questions; undefined when the script did not answer all of them. */
export function readInspection(stdout: Buffer, count: number): readonly Inspected[] | undefined {
  const parts = stdout.toString('utf8').split('\0')
  if (parts.length !== count * 2 + 1 || parts.at(-1) !== '') return undefined
  return Array.from({ length: count }, (_, at) =>
    parts[at * 2] === TOO_LARGE
      ? 'too_large'
      : { exitCode: Number(parts[at * 2]), text: parts[at * 2 + 1] ?? '' },
  )
}
