import { type CallExpression, Visitor } from 'oxc-parser'
import { type Citation, citationsOf } from './citations.ts'
import type { Requirements } from './requirements.ts'
import type { Report, SourceFile } from './tree.ts'

/** What production answers for domains that do not exist yet. */
const STAND_INS = 'packages/fleet/src/compose/absent.ts'
/** Where a test may put a port of its own in the place of a stand-in. */
const TESTS_OVER_PORTS = /^(packages\/fleet\/|tests\/lab\/)/
/** Members that other ports have too: a test that names one says nothing of a stand-in. */
const COMMON = new Set(['find', 'list', 'reconcile', 'withdraw'])

/**
 * A row is not proven by tests that all fill, or look at, a port which production fills by a stand-in: the rule works on the
 * fake alone. One test without such a port is enough.
 */
export function standIns(tree: readonly SourceFile[], { partly, replaced }: Requirements): Report {
  const members = membersOf(tree)
  const settled = new Set([...partly, ...replaced].map(({ id }) => id))
  const evidence = Map.groupBy(
    tree.flatMap((file) => evidenceOf(file, members)).filter(({ id }) => !settled.has(id)),
    ({ id }) => id,
  )
  const problems = [...evidence].flatMap(([id, found]) => {
    const [first] = found
    if (!first || found.some(({ port }) => port === undefined)) return []
    return [
      `${first.path}:${first.line}  ${id}  is proven only over \`${first.port}\`, which production does not have: add it to docs/requirements/partly.tsv or remove the citation`,
    ]
  })
  return { seen: members.size, unit: 'members of stand-ins', problems: problems.toSorted() }
}

/** Names of what the stand-ins answer. */
export function membersOf(tree: readonly SourceFile[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { path, parsed } of tree)
    if (path === STAND_INS)
      new Visitor({
        Property: ({ key }) => void (key.type === 'Identifier' && names.add(key.name)),
      }).visit(parsed.program)
  return names.difference(COMMON)
}

interface Evidence extends Citation {
  /** Member of a stand-in that the test names; undefined when it names none. */
  readonly port: string | undefined
}

function evidenceOf(file: SourceFile, members: ReadonlySet<string>): readonly Evidence[] {
  const cited = citationsOf(file)
  if (cited.length === 0) return []
  const tests = TESTS_OVER_PORTS.test(file.path) ? testsOf(file, members) : []
  return cited.map((citation) => ({
    ...citation,
    port: tests.find(({ first, last }) => first <= citation.line && citation.line <= last)?.port,
  }))
}

interface TestSpan {
  readonly first: number
  readonly last: number
  readonly port: string | undefined
}

/** The innermost tests first. */
function testsOf({ path, parsed, lineAt }: SourceFile, members: ReadonlySet<string>): readonly TestSpan[] {
  const calls: CallExpression[] = []
  const names: Array<{ readonly name: string; readonly start: number }> = []
  new Visitor({
    CallExpression: (call) => void (isTestCall(call) && calls.push(call)),
    Identifier: ({ name, start }) =>
      void (members.has(name) && !isDomainOf(name, path) && names.push({ name, start })),
  }).visit(parsed.program)
  return calls
    .toSorted((a, b) => a.end - a.start - (b.end - b.start))
    .map(({ start, end }) => ({
      first: lineAt(start),
      last: lineAt(end),
      port: names.find((one) => start <= one.start && one.start < end)?.name,
    }))
}

/** Tests of a domain that exists speak of itself, whoever does not ask it yet. */
const isDomainOf = (name: string, path: string): boolean => path.startsWith(`packages/fleet/src/${name}/`)

const isTestCall = ({ callee }: CallExpression): boolean =>
  (callee.type === 'Identifier' && /^(test|forEachDialect)$/.test(callee.name)) ||
  (callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'test')
