import { type ArrowFunctionExpression, Visitor, type Function as FunctionNode } from 'oxc-parser'
import type { SourceFile } from './tree.ts'

/** A function with a body of statements. Arrows that are one expression are left out: they would hide the long ones. */
export interface MeasuredFunction {
  /** `path#name`, or `path#line` for one without a name. */
  readonly name: string
  readonly lines: number
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Every function of a file with its length in lines, from its first line to its closing brace. */
export function functionsOf({ path, parsed, lineAt }: SourceFile): readonly MeasuredFunction[] {
  const names = new Map<number, string>()
  const found: Span[] = []
  const visit = (node: FunctionNode | ArrowFunctionExpression): void => {
    if (node.body?.type !== 'BlockStatement') return
    found.push(node)
    if ('id' in node && node.id) names.set(node.start, node.id.name)
  }
  const nameValue = (key: { readonly type: string; readonly name?: unknown }, value: Span | null): void => {
    if (value && key.type === 'Identifier' && typeof key.name === 'string') names.set(value.start, key.name)
  }
  new Visitor({
    FunctionDeclaration: visit,
    FunctionExpression: visit,
    ArrowFunctionExpression: visit,
    VariableDeclarator: ({ id, init }) => nameValue(id, init),
    Property: ({ key, value }) => nameValue(key, value),
    MethodDefinition: ({ key, value }) => nameValue(key, value),
    PropertyDefinition: ({ key, value }) => nameValue(key, value),
  }).visit(parsed.program)
  return found.map(({ start, end }) => ({
    name: `${path}#${names.get(start) ?? lineAt(start)}`,
    lines: lineAt(end - 1) - lineAt(start) + 1,
  }))
}
