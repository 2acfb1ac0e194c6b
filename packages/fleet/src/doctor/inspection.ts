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

/** Seconds between two looks at what is asked: a question that is still asked at the next one is ended, after 10 to 20 s. */
const LOOK_SECONDS = 10

/**
 * An answer that is above a limit was not sent, and one that did not come in its time was ended: the others are as if it had not
 * been asked for.
 */
export type Inspected = PrintedAnswer | 'too_large' | 'late'

/**
 * All questions as one script, so that a Node costs one round trip however much is asked. Each runs in a subshell of its
 * own; its exit code and text come back as two fields that end with NUL, which no shell variable can hold.
 */
export function inspection(
  questions: readonly AnyQuestion[],
  { each, all }: AnswerLimits = ANSWER_LIMITS,
  lookSeconds = LOOK_SECONDS,
): Command {
  let words = 0
  const asks = questions.map(({ source, args = [] }, at) => {
    const own = args.map(() => `"\${${(words += 1)}}"`)
    return `question_${at}() {\n${source}\n}\n${['ask', `question_${at}`, ...own].join(' ')}`
  })
  const limits = `each=${each} left=${all} pause=${lookSeconds}`
  const command = script(
    [HEAD, limits, WATCH, ...asks, 'kill "$watch"'].join('\n'),
    ...questions.flatMap(({ args = [] }) => args),
  )
  return shownAs(command, `script 'inspect the machine' (${questions.length} questions)`)
}

const TOO_LARGE = 'large'
const LATE = 'late'
const HEAD = `# inspect the machine
LC_ALL=C
export LC_ALL
exec </dev/null 2>/dev/null
newline='
'
ask() {
  # The dot keeps the newlines that a substitution would cut off: the last field of an answer may be empty. It fails only where
  # it was killed.
  answer=$( ("$@"); printf .%s "$?") || { printf '${LATE}\\0\\0'; return; }
  code=\${answer##*.}
  answer=\${answer%.*}
  answer=\${answer%"$newline"}
  length=\${#answer}
  if [ "$length" -gt "$each" ] || [ "$length" -gt "$left" ]; then
    printf '${TOO_LARGE}\\0\\0'
    return
  fi
  left=$((left - length))
  printf '%s\\0%s\\0' "$code" "$answer"
}`

// One for all questions, so that a machine that answers pays two programs for it. It is the first child of the script, and what
// is asked the second; a kernel that lists no children has no watch.
const WATCH = `below() {
  echo "$1"
  kids=
  read -r kids <"/proc/$1/task/$1/children"
  for kid in $kids; do below "$kid"; done
}
look() {
  trap 'kill "$nap"; exit' TERM
  seen=
  while [ -r "/proc/$$/task/$$/children" ]; do
    sleep "$pause" & nap=$!
    wait "$nap"
    now=
    read -r _ now _ <"/proc/$$/task/$$/children"
    if [ -n "$now" ] && [ "$now" = "$seen" ]; then kill -9 $(below "$now"); fi
    seen=$now
  done
}
look >/dev/null & watch=$!`

/** The answers in the order of the questions; undefined when the script did not answer all of them. */
export function readInspection(stdout: Buffer, count: number): readonly Inspected[] | undefined {
  const parts = stdout.toString('utf8').split('\0')
  if (parts.length !== count * 2 + 1 || parts.at(-1) !== '') return undefined
  return answersIn(parts, count)
}

/** As `readInspection`, of a script that was ended: what it had answered by then, and `late` for the rest. */
export function readStarted(stdout: Buffer, count: number): readonly Inspected[] {
  const parts = stdout.toString('utf8').split('\0')
  const answered = Math.min(count, Math.floor((parts.length - 1) / 2))
  return [...answersIn(parts, answered), ...Array.from({ length: count - answered }, (): Inspected => LATE)]
}

const answersIn = (parts: readonly string[], count: number): readonly Inspected[] =>
  Array.from({ length: count }, (_, at): Inspected => {
    const [code, text = ''] = parts.slice(at * 2, at * 2 + 2)
    if (code === TOO_LARGE) return 'too_large'
    return code === LATE ? LATE : { exitCode: Number(code), text }
  })
