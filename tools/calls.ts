import { type ObjectExpression, Visitor } from 'oxc-parser'
import { isTest, type Report, type SourceFile } from './tree.ts'

/** What creates every Call, and what gives one another deadline. */
const EXECUTOR = ['packages/fleet/src/work/executor.ts', 'packages/fleet/src/call.ts']
const PRODUCT = /^(packages\/(?!testing\/)|apps\/)/

/** Members that only a Call has together; its locks are those of the executor. */
const MEMBERS = ['locks', 'note', 'deadline']
const ANY_MEMBER = [...MEMBERS, 'caller', 'operation', 'signal', 'emit', 'event', 'progress', 'log']

/**
 * Every Call is created by the executor: elsewhere its Activity, its locks, the signal of the drain or its events would be
 * forgotten. A place is an object with the members of a Call, or one that is spread from `call`, or locks for a new one.
 */
export function calls(tree: readonly SourceFile[]): Report {
  const places = tree.filter(({ path }) => PRODUCT.test(path) && !isTest(path)).flatMap(placesIn)
  return {
    seen: places.filter(({ path }) => EXECUTOR.includes(path)).length,
    unit: 'places that create a Call',
    problems: places
      .filter(({ path }) => !EXECUTOR.includes(path))
      .map(({ path, line }) => `${path}:${line}  a Call is created by the executor alone (${EXECUTOR[0]})`),
  }
}

interface Place {
  readonly path: string
  readonly line: number
}

function placesIn({ path, parsed, lineAt }: SourceFile): readonly Place[] {
  const found: Place[] = []
  new Visitor({
    ObjectExpression: (node) => {
      if (isCall(node)) found.push({ path, line: lineAt(node.start) })
    },
    NewExpression: ({ callee, start }) => {
      if (callee.type === 'Identifier' && callee.name === 'CallLocks')
        found.push({ path, line: lineAt(start) })
    },
  }).visit(parsed.program)
  return found
}

function isCall({ properties }: ObjectExpression): boolean {
  const names = properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' ? [property.key.name] : [],
  )
  const isCopied = properties.some(
    (property) =>
      property.type === 'SpreadElement' &&
      property.argument.type === 'Identifier' &&
      property.argument.name === 'call' &&
      names.some((name) => ANY_MEMBER.includes(name)),
  )
  return isCopied || MEMBERS.every((member) => names.includes(member))
}
