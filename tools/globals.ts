import {
  Visitor,
  type CallExpression,
  type Expression,
  type MemberExpression,
  type NewExpression,
} from 'oxc-parser'
import type { Report, SourceFile } from './tree.ts'

const KERNEL = /^packages\/kernel\//
const PRODUCT = /^(packages\/(?!testing\/)|apps\/).*(?<!\.test)\.tsx?$/
const ENV_FILE = /\/src\/env\.ts$/

const CALLS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'randomUUID', 'Date'])
const MEMBERS = new Set(['Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID'])
/** Tests draw from the seed of the run: one that draws by itself fails for what nobody changed. */
const TESTS = /\.test\.tsx?$|^(tests|packages\/testing)\//
const DRAWS = new Set(['Math.random', 'randomInt', 'crypto.randomInt'])
const SEED = 'take testSeed of @fleet/testing/sample'

const CLOCK = 'take the Clock or the Ids of packages/kernel'

/** Time, chance and environment reach the product through the kernel and env.ts alone; this finds every other way. */
export function globals(tree: readonly SourceFile[]): Report {
  const product = tree.filter(({ path }) => PRODUCT.test(path))
  const tests = tree.filter(({ path }) => TESTS.test(path))
  return {
    seen: product.length,
    unit: 'files',
    problems: [...product.flatMap(problemsOf), ...tests.flatMap(drawsOf)],
  }
}

function drawsOf({ path, parsed, lineAt }: SourceFile): readonly string[] {
  const found: string[] = []
  new Visitor({
    CallExpression: ({ callee, start }) => {
      const name = nameOf(callee)
      if (name !== undefined && DRAWS.has(name)) found.push(`${path}:${lineAt(start)}  ${name}  ${SEED}`)
    },
  }).visit(parsed.program)
  return found
}

function problemsOf({ path, parsed, lineAt }: SourceFile): readonly string[] {
  const found: string[] = []
  const report = (start: number, what: string, why: string): void =>
    void found.push(`${path}:${lineAt(start)}  ${what}  ${why}`)
  const clock = (node: CallExpression | NewExpression, name: string | undefined): void => {
    if (name !== undefined && !KERNEL.test(path)) report(node.start, name, CLOCK)
  }
  new Visitor({
    CallExpression: (node) => clock(node, bannedCall(node)),
    NewExpression: (node) => clock(node, isNow(node) ? 'new Date()' : undefined),
    MemberExpression: (node) => {
      if (isEnvironment(node) && !ENV_FILE.test(path))
        report(node.start, 'process.env', 'only env.ts reads the environment')
    },
  }).visit(parsed.program)
  return found
}

function bannedCall({ callee }: CallExpression): string | undefined {
  const name = nameOf(callee)
  if (name === undefined) return undefined
  const bare = name.replace(/^globalThis\./, '')
  return CALLS.has(bare) || MEMBERS.has(bare) ? bare : undefined
}

const isNow = ({ callee, arguments: given }: NewExpression): boolean =>
  nameOf(callee) === 'Date' && given.length === 0

// `process.env.X` holds the node `process.env`, so it is met once.
const isEnvironment = (node: MemberExpression): boolean =>
  /^(globalThis\.)?process\.env$/.test(nameOf(node) ?? '')

/** `a.b.c` of plain names, or undefined. */
function nameOf(node: Expression): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier')
    return undefined
  const object = nameOf(node.object)
  return object === undefined ? undefined : `${object}.${node.property.name}`
}
