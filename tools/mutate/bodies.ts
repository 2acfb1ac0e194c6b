import { type Node, Visitor } from 'oxc-parser'
import type { SourceFile } from '../tree.ts'
import type { Place } from './places.ts'

/** Where the body of a function begins and ends; what it evaluates is marked at `start`. */
export interface Body {
  readonly start: number
  readonly end: number
  /** The body of an arrow function without braces. */
  readonly isExpression: boolean
}

/** The innermost function around a place; undefined for what runs while the file is imported. */
export const bodyAround = (bodies: readonly Body[], { start, end }: Pick<Place, 'start' | 'end'>) =>
  bodies.filter((body) => body.start <= start && end <= body.end).at(-1)

/** Every function of a file, outer ones first. */
export function bodiesOf({ parsed }: SourceFile): readonly Body[] {
  const bodies: Body[] = []
  const add = (body: Node | null): void => {
    if (body) bodies.push({ start: body.start, end: body.end, isExpression: body.type !== 'BlockStatement' })
  }
  new Visitor({
    FunctionDeclaration: ({ body }) => add(body),
    FunctionExpression: ({ body }) => add(body),
    ArrowFunctionExpression: ({ body }) => add(body),
  }).visit(parsed.program)
  return bodies.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

/** The text with a call at the beginning of each body, which gets its number in the list. */
export function marked(text: string, bodies: readonly Body[], call: (at: number) => string): string {
  const edits = bodies.flatMap(({ start, end, isExpression }, at) =>
    isExpression
      ? [
          { offset: start, text: `(${call(at)}, `, isOpening: true },
          { offset: end, text: ')', isOpening: false },
        ]
      : [{ offset: start + 1, text: `${call(at)};`, isOpening: true }],
  )
  // From the end, so that offsets hold: at one offset, what ends is before what begins.
  return edits
    .toSorted((a, b) => b.offset - a.offset || Number(b.isOpening) - Number(a.isOpening))
    .reduce((now, edit) => now.slice(0, edit.offset) + edit.text + now.slice(edit.offset), text)
}
