import { type Comment, Visitor } from 'oxc-parser'
import type { Report, SourceFile } from './tree.ts'

interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Every type assertion without its reason. The reason is a comment on its first or last line or on the line above,
 * because an assertion turns the compiler off for a value. `as const` asserts nothing and needs none.
 */
export function assertions(tree: readonly SourceFile[]): Report {
  return { seen: tree.length, unit: 'files', problems: tree.flatMap(problemsOf) }
}

const MINIMUM_WORDS = 3

function problemsOf(file: SourceFile): readonly string[] {
  const found: Array<Span & { readonly what: string }> = []
  new Visitor({
    TSAsExpression: ({ start, end, typeAnnotation }) => {
      const isConst = file.text.slice(typeAnnotation.start, typeAnnotation.end) === 'const'
      if (!isConst) found.push({ start, end, what: 'as' })
    },
    TSTypeAssertion: ({ start, end }) => void found.push({ start, end, what: '<type>' }),
    TSNonNullExpression: ({ start, end }) => void found.push({ start, end, what: '!' }),
  }).visit(file.parsed.program)
  const reasons = reasonLines(file)
  return found
    .filter((span) => !hasReason(file, span, reasons))
    .map(
      ({ end, what }) =>
        `${file.path}:${file.lineAt(end - 1)}  ${what}  needs a comment on its line that says why it holds`,
    )
}

function hasReason({ lineAt }: SourceFile, { start, end }: Span, reasons: ReadonlySet<number>): boolean {
  return [lineAt(start) - 1, lineAt(start), lineAt(end - 1)].some((line) => reasons.has(line))
}

/** Lines on which a comment with some words ends. A docstring reports what a thing is, a directive reports nothing. */
function reasonLines({ parsed, lineAt }: SourceFile): ReadonlySet<number> {
  const isReason = ({ value }: Comment): boolean =>
    !/^\*|^\s*(oxlint|eslint|@ts)-/.test(value) && value.split(/\s+/).filter(Boolean).length >= MINIMUM_WORDS
  return new Set(parsed.comments.filter(isReason).map(({ end }) => lineAt(end - 1)))
}
