import { type CallExpression, Visitor } from 'oxc-parser'
import { isTest, type Report, type SourceFile } from './tree.ts'

/** The one file that reports steps to a client. A step list of its own somewhere else would do so too. */
const REPORTER = 'packages/fleet/src/perform-steps.ts'
const PRODUCT = /^(packages\/(?!steps\/|testing\/)|apps\/)/

interface Named {
  readonly place: string
  /** Undefined where the name is no literal. */
  readonly name: string | undefined
}

/**
 * Every list of steps has its property tests: it fails cleanly at every step, may run every step twice and resumes after
 * every crash. A list that is run in another way than by the runner is a problem as well.
 */
export function stepLists(tree: readonly SourceFile[]): Report {
  const product = tree.filter(({ path }) => PRODUCT.test(path) && !isTest(path))
  const lists = product.flatMap((file) => callsOf(file, 'stepList'))
  const tests = tree.filter(({ path }) => PRODUCT.test(path) && isTest(path))
  const proofs = tests.flatMap((file) => callsOf(file, 'testStepList'))
  const proven = new Set(proofs.map(({ name }) => name))
  const known = new Map(lists.map(({ name, place }) => [name, place]))
  const problems = [
    ...[...lists, ...proofs].filter(({ name }) => name === undefined).map(unnamed),
    ...lists.filter(({ name, place }) => known.get(name) !== place).map(repeated),
    ...lists.filter(({ name }) => name !== undefined && !proven.has(name)).map(unproven),
    ...proofs.filter(({ name }) => name !== undefined && !known.has(name)).map(unknown),
    ...product.filter(({ path }) => path !== REPORTER).flatMap(reporters),
  ]
  const withProof = lists.filter(({ name }) => proven.has(name)).length
  return { seen: lists.length, unit: 'step lists', problems, note: `${withProof} with both properties` }
}

const unnamed = ({ place }: Named): string =>
  `${place}  the name of a list is a literal, so that it can be found`
const repeated = ({ name, place }: Named): string => `${place}  another list is called ${name}`
const unproven = ({ name, place }: Named): string =>
  `${place}  ${name} has no property tests: testStepList('${name}', …) of @fleet/steps/testing`
const unknown = ({ name, place }: Named): string => `${place}  there is no list ${name}`

/** Calls of a function by its name, with the first argument. */
function callsOf({ path, parsed, lineAt }: SourceFile, called: string): readonly Named[] {
  const found: Named[] = []
  new Visitor({
    CallExpression: ({ callee, arguments: [first], start }) => {
      if (callee.type !== 'Identifier' || callee.name !== called) return
      const name = first?.type === 'Literal' && typeof first.value === 'string' ? first.value : undefined
      found.push({ place: `${path}:${lineAt(start)}`, name })
    },
  }).visit(parsed.program)
  return found
}

/** Places that report a step without the runner: `call.progress({ step, status })`. */
function reporters({ path, parsed, lineAt }: SourceFile): readonly string[] {
  const found: string[] = []
  new Visitor({
    CallExpression: (node) => {
      if (isReport(node))
        found.push(`${path}:${lineAt(node.start)}  steps are reported by ${REPORTER}: declare a stepList`)
    },
  }).visit(parsed.program)
  return found
}

const isReport = ({ callee, arguments: [first] }: CallExpression): boolean =>
  callee.type === 'MemberExpression' &&
  callee.property.type === 'Identifier' &&
  callee.property.name === 'progress' &&
  first?.type === 'ObjectExpression'
