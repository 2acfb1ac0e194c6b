import { type Command, script, shownAs } from '@fleet/shell'
import type { PrintedAnswer, Question } from '#/nodes/api.ts'

type AnyQuestion = Question<unknown>

/**
 * All questions as one script, so that a Node costs one round trip however much is asked. Each runs in a subshell of its
 * own; its exit code and text come back as two fields that end with NUL, which no shell variable can hold.
 */
export function inspection(questions: readonly AnyQuestion[]): Command {
  let words = 0
  const asks = questions.map(({ source, args = [] }, at) => {
    const own = args.map(() => `"\${${(words += 1)}}"`)
    return `question_${at}() {\n${source}\n}\n${['ask', `question_${at}`, ...own].join(' ')}`
  })
  const command = script([HEAD, ...asks].join('\n'), ...questions.flatMap(({ args = [] }) => args))
  return shownAs(command, `script 'inspect the machine' (${questions.length} questions)`)
}

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
  printf '%s\\0%s\\0' "$code" "\${answer%"$newline"}"
}`

/** The answers in the order of the questions; undefined when the script did not answer all of them. */
export function readInspection(stdout: Buffer, count: number): readonly PrintedAnswer[] | undefined {
  const parts = stdout.toString('utf8').split('\0')
  if (parts.length !== count * 2 + 1 || parts.at(-1) !== '') return undefined
  return Array.from({ length: count }, (_, at) => ({
    exitCode: Number(parts[at * 2]),
    text: parts[at * 2 + 1] ?? '',
  }))
}
