import { type Expression, type Node, Visitor } from 'oxc-parser'
import type { SourceFile } from '../tree.ts'

/** One place at which the source can be broken. */
export interface Place {
  readonly path: string
  readonly line: number
  /** Character offsets of what is replaced. */
  readonly start: number
  readonly end: number
  readonly replacement: string
  /** `condition`, `operator`, … */
  readonly kind: Kind
}

export type Kind = 'condition' | 'operator' | 'code' | 'await' | 'limit' | 'flag'

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
  '*': '/',
}

/** Every place of a file, in its order. Types, imports and tests have none. */
export function placesOf({ path, text, parsed, lineAt }: SourceFile): readonly Place[] {
  const found: Place[] = []
  const add = (kind: Kind, { start, end }: Span, replacement: string): void =>
    void found.push({ path, line: lineAt(start), start, end, replacement, kind })
  const test = (expression: Expression): void => {
    for (const value of ['true', 'false'])
      if (text.slice(expression.start, expression.end) !== value) add('condition', expression, value)
  }
  const operator = (node: { readonly left: Span; readonly right: Span; readonly operator: string }): void => {
    const other = OPERATORS[node.operator]
    // Between the operands stand spaces and the operator alone; a comment there is left as it is.
    const start = text.indexOf(node.operator, node.left.end)
    if (other && start !== -1 && start < node.right.start)
      add('operator', { start, end: start + node.operator.length }, other)
  }
  new Visitor({
    IfStatement: (node) => test(node.test),
    ConditionalExpression: (node) => test(node.test),
    // `+` between texts would only be another operator without a meaning.
    BinaryExpression: (node) => void (isText(node.left) || isText(node.right) || operator(node)),
    LogicalExpression: operator,
    UnaryExpression: (node) =>
      void (node.operator === '!' && add('operator', node, inner(text, node.argument))),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'fail' || !first || !isText(first)) return
      add('code', first, `'http.500'`)
    },
    ExpressionStatement: (node) => {
      if (node.expression.type === 'AwaitExpression') add('await', node.expression, 'undefined')
    },
    Literal: (node) => {
      if (typeof node.value === 'number') add('limit', node, String(node.value + 1))
      if (typeof node.value === 'boolean') add('flag', node, String(!node.value))
    },
  }).visit(parsed.program)
  return outsideTypes(parsed.program, found)
}

interface Span {
  readonly start: number
  readonly end: number
}

const inner = (text: string, { start, end }: Span): string => `(${text.slice(start, end)})`
const isText = (node: Node): boolean => node.type === 'Literal' && typeof node.value === 'string'

/** A type has no effect when the program runs. */
function outsideTypes(program: Parameters<Visitor['visit']>[0], places: readonly Place[]): readonly Place[] {
  const types: Span[] = []
  new Visitor({
    TSTypeAnnotation: (node) => void types.push(node),
    TSTypeAliasDeclaration: (node) => void types.push(node),
    TSInterfaceDeclaration: (node) => void types.push(node),
    TSTypeParameterInstantiation: (node) => void types.push(node),
    TSLiteralType: (node) => void types.push(node),
  }).visit(program)
  return places
    .filter(({ start, end }) => !types.some((type) => type.start <= start && end <= type.end))
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
}
