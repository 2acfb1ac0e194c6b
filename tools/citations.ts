import { type CallExpression, Visitor } from 'oxc-parser'
import type { Requirements } from './requirements.ts'
import { isTest, type Report, type SourceFile } from './tree.ts'

/** One requirement id at the end of the name of a test that runs. */
export interface Citation {
  readonly id: string
  readonly path: string
  readonly line: number
}

interface Span {
  readonly start: number
  readonly end: number
}

const ENDS_WITH_ID = /[A-Z]{2,5}-\d{3}\]$/
const LIST = /\[([A-Z]{2,5}-\d{3}(?:, [A-Z]{2,5}-\d{3})*)\]$/

/**
 * Ids cited by a test file. They stand in brackets at the end of a string or template: the name of a test, or the row of
 * a table from which names are made. A test that is always skipped or still to be written proves nothing, so its citations are left out.
 */
export function citationsOf({ path, parsed, lineAt }: SourceFile): readonly Citation[] {
  if (!isTest(path)) return []
  const named: Array<{ readonly text: string; readonly start: number }> = []
  const idle: Span[] = []
  new Visitor({
    Literal: ({ value, start }) => void (typeof value === 'string' && named.push({ text: value, start })),
    TemplateElement: ({ value, start }) => void named.push({ text: value.cooked ?? '', start }),
    CallExpression: (call) => void (isIdle(call) && idle.push(call)),
  }).visit(parsed.program)
  return named
    .filter(({ start }) => !idle.some((span) => span.start <= start && start < span.end))
    .flatMap(({ text, start }) => idsIn(text).map((id) => ({ id, path, line: lineAt(start) })))
}

/** What is no list of ids, such as `A-001 to A-003`, is one id that does not exist: it must not be passed over in silence. */
const idsIn = (text: string): readonly string[] =>
  LIST.exec(text)?.[1]?.split(', ') ??
  (ENDS_WITH_ID.test(text) ? [text.slice(text.lastIndexOf('[') + 1, -1)] : [])

/** Citations of ids that do not exist or no longer bind, and partly proven rows that no test cites. */
export function citations(tree: readonly SourceFile[], { rows, replaced, partly }: Requirements): Report {
  const known = new Set(rows.map(({ id }) => id))
  const pages = new Map(replaced.map(({ id, decision }) => [id, decision]))
  const cited = tree.flatMap(citationsOf)
  const problems = cited.flatMap(({ id, path, line }) => {
    if (!known.has(id)) return [`${path}:${line}  ${id}  is no requirement of docs/requirements`]
    const page = pages.get(id)
    return page === undefined ? [] : [`${path}:${line}  ${id}  was replaced by decision ${page}`]
  })
  const binding = new Set(rows.map(({ id }) => id).filter((id) => !pages.has(id)))
  const named = new Set(cited.map(({ id }) => id))
  const uncited = partly
    .filter(({ id }) => !named.has(id))
    .map(({ id }) => `docs/requirements/partly.tsv  ${id}  is cited by no test, so it is open: remove it`)
  return {
    seen: cited.length,
    unit: 'citations',
    problems: [...problems, ...uncited],
    note: `${named.intersection(binding).size - partly.length + uncited.length} of ${binding.size} requirements proven, ${partly.length} partly`,
  }
}

function isIdle({ callee, arguments: given }: CallExpression): boolean {
  if (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    /^(skip|todo)$/.test(callee.property.name)
  )
    return callee.object.type === 'Identifier' && /^(test|it|describe|suite)$/.test(callee.object.name)
  if (callee.type !== 'Identifier' || !/^(test|it|describe|suite)$/.test(callee.name)) return false
  return given.some(
    (argument) =>
      argument.type === 'ObjectExpression' &&
      argument.properties.some(
        (property) =>
          property.type === 'Property' &&
          property.key.type === 'Identifier' &&
          /^(skip|todo)$/.test(property.key.name) &&
          // A condition may let it run; a text or `true` never does.
          property.value.type === 'Literal' &&
          property.value.value !== false,
      ),
  )
}
